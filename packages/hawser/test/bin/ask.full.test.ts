import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeCli } from "../../src/testing/index.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { deaf, HAWSER, hawserIn, KEYS, type PtyOptions, place } from "../support/pty.js";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A machine without a CLI, on which a stand-in answers `--offline`: enough where the command is the subject. */
function standIn(): ReturnType<typeof place> {
  const { cwd, env } = place();
  return { cwd, env: { ...env, HAWSER_CLI: "/nowhere/claude" } };
}

/** In a pipe; without input it has none at all. */
async function run(here: PtyOptions, args: readonly string[], input?: string): Promise<Ran> {
  const { cwd, env } = here;
  const stdin = input === undefined ? "ignore" : "pipe";
  const child = spawn(process.execPath, [HAWSER, ...args], {
    cwd,
    env,
    stdio: [stdin, "pipe", "pipe"],
  });
  child.stdin?.end(input);
  const streams = [child.stdout, child.stderr].map((each) => (each === null ? "" : text(each)));
  const [[code], out = "", err = ""] = await Promise.all([once(child, "exit"), ...streams]);
  return { code, out, err };
}

describe("hawser ask in a terminal", () => {
  it("asks before it runs a tool, and shows model, rounds, tokens, cost and time at the end", async () => {
    const here = place();
    const pty = hawserIn(here, "ask", "--offline", "--tools", "Bash", "run echo tied > knot.txt");
    await pty.shows(/offline: Claude Code \d+\.\d+\.\d+ with a simulated model\n/);
    await pty.shows("● Bash echo tied > knot.txt");
    await pty.shows("[y]es");
    pty.enter("y");
    await pty.shows("⎿");
    await pty.shows(/claude-\S+ · 2 rounds · \d+ tokens in, \d+ out · \$0\.\d+ · \d+\.\d s/);
    expect((await pty.exit).code).toBe(0);
    expect(readFileSync(join(here.cwd, "knot.txt"), "utf8")).toBe("tied\n");
  });

  it("prints no advice about a tool that the person has refused", async () => {
    const pty = hawserIn(standIn(), "ask", "--offline", "--tools", "Bash", "run touch a.txt");
    await pty.shows("[y]es");
    pty.enter("n");
    expect((await pty.exit).code).toBe(0);
    expect(pty.text).not.toContain("--allow");
    expect(pty.text).not.toContain("was denied");
  });

  it("does not show the warning that --allow bypasses canUseTool", async () => {
    const here = place();
    const pty = hawserIn(here, "ask", "--offline", "-t", "Bash", "--allow", "Bash", "run touch x");
    await pty.shows("2 rounds");
    expect((await pty.exit).code).toBe(0);
    expect(existsSync(join(here.cwd, "x"))).toBe(true);
    expect(pty.raw).not.toMatch(/warning|canUseTool/i);
  });

  it("stops at Ctrl-C with the text so far, and leaves no process behind", async () => {
    const pty = hawserIn(place(), "ask", "--offline", "count to 500");
    await pty.shows("5 6 7");
    const tree = treeOf(pty.pid);
    pty.type(KEYS.ctrlC);
    await pty.shows("Stopped.");
    expect((await pty.exit).code).toBe(130);
    await until(() => stillAlive(tree).length === 0);
  });

  it("quits at once at the second Ctrl-C, even if the CLI ignores the interrupt", async () => {
    const here = place();
    const { path } = await deaf();
    const pty = hawserIn({ ...here, env: { ...here.env, HAWSER_CLI: path } }, "ask", "hello");
    await pty.shows("Once upon a time");
    const tree = treeOf(pty.pid);
    expect(tree.length).toBeGreaterThan(1);
    pty.type(KEYS.ctrlC);
    await pty.shows("stopping");
    pty.type(KEYS.ctrlC);
    expect((await pty.exit).code).toBe(130);
    await until(() => stillAlive(tree).length === 0);
  });

  it("prints no control characters of an answer, and no colours with NO_COLOR", async () => {
    const cli = await fakeCli({ steps: [{ on: "user", do: [{ turn: "a\x1b[2Jb\x07c" }] }] });
    onTestFinished(() => cli.dispose());
    const here = place();
    const env = { ...here.env, HAWSER_CLI: cli.path, NO_COLOR: "1" };
    const pty = hawserIn({ ...here, env }, "ask", "hello");
    await pty.exit;
    expect(pty.text).toContain("a[2Jbc");
    expect(pty.raw).not.toMatch(/\x1b\[\d+m/);
  });
});

describe("hawser ask in a pipe", () => {
  it("prints the answer and nothing else", async () => {
    expect(await run(standIn(), ["ask", "--offline", "What is a bowline?"])).toEqual({
      code: 0,
      out: "A bowline makes a loop that neither slips nor jams.\n",
      err: "",
    });
  });

  it("joins the words, --file and stdin to one prompt", async () => {
    const here = standIn();
    writeFileSync(join(here.cwd, "more.txt"), "of the file");
    const args = ["ask", "--offline", "--file", "more.txt", "Words"];
    const { out } = await run(here, args, "and the input\n");
    expect(out).toContain("You said: Words\n\nof the file\n\nand the input");
  });

  it("does not wait for a stdin that stays open without input", async () => {
    const { cwd, env } = standIn();
    const child = spawn(process.execPath, [HAWSER, "ask", "--offline", "hello"], { cwd, env });
    onTestFinished(() => void child.stdin.destroy());
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(out).toContain("You said: hello");
    expect(err).toContain("nothing has arrived on stdin yet, so it is ignored");
  });

  it("prints a value that fits --schema, and with --json the whole completion", async () => {
    const here = place();
    const schema = {
      type: "object",
      properties: { name: { type: "string" }, strength: { type: "number", maximum: 1 } },
      required: ["name", "strength"],
    };
    writeFileSync(join(here.cwd, "knot.json"), JSON.stringify(schema));
    const prompt = "How strong is a bowline?";
    const args = ["ask", "--offline", "--schema", "knot.json", prompt];
    const value = { name: "bowline", strength: 0.65, uses: ["mooring", "rescue"] };
    const whole = await run(here, [...args, "--json"]);
    expect(JSON.parse(whole.out)).toMatchObject({
      value,
      stop: "completed",
      turns: expect.any(Number),
      costUsd: 0,
    });
    const { cwd, env } = here;
    const { out } = await run({ cwd, env: { ...env, HAWSER_CLI: "/nowhere/claude" } }, args);
    expect(JSON.parse(out)).toEqual(value);
  });

  it("refuses a tool that needs a permission, and prints the --allow that permits it", async () => {
    const here = standIn();
    const { code, out, err } = await run(here, ["ask", "--offline", "-t", "Bash", "run touch x"]);
    expect(code).toBe(0);
    expect(out).toContain("It did not work");
    expect(out).not.toContain("would have done");
    expect(err).toBe("hawser: Bash was denied. --allow 'Bash(touch x)' allows it.\n");
    // What it says is copied into a shell as it stands.
    const [, flag] = /(--allow '.*') allows it/.exec(err) ?? [];
    const line = `"${process.execPath}" "${HAWSER}" ask --offline -t Bash ${flag} "run touch x"`;
    const real = place();
    const allowed = spawn("sh", ["-c", line], { ...real, stdio: ["ignore", "pipe", "pipe"] });
    expect(await text(allowed.stderr)).toBe("");
    expect(existsSync(join(real.cwd, "x"))).toBe(true);
  });

  it("does not offer --allow for a tool that --deny refuses", async () => {
    const args = ["ask", "--offline", "-t", "Bash", "--deny", "Bash(touch *)", "run touch x"];
    const { err } = await run(standIn(), args);
    expect(err).toBe("hawser: Bash was denied: a --deny rule matches the call.\n");
  });

  it("offers --allow for a tool that no --deny rule refuses", async () => {
    const args = ["ask", "--offline", "-t", "Bash", "--deny", "Bash(rm *)", "run touch x"];
    const { err } = await run(standIn(), args);
    expect(err).toBe(
      "hawser: Bash was denied. --allow 'Bash(touch x)' allows it. A --deny rule that matches wins.\n",
    );
  });

  it("answers by a stand-in where there is no CLI, at no cost", async () => {
    const { code, out } = await run(standIn(), ["ask", "--offline", "--json", "hello"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      text: expect.stringMatching(/cost nothing.*You said: hello/),
      costUsd: 0,
    });
  });

  it("prints a warning of the library as a line of its own, without Node's prefix", async () => {
    const { code, err } = await run(standIn(), ["ask", "--offline", "--effort", "turbo", "hello"]);
    expect(code).toBe(0);
    expect(err).toMatch(/^hawser: Hawser does not know effort "turbo" and passes it on\./m);
    expect(err).not.toContain("(node:");
  });

  it("prints the stderr of a CLI that exits at its start", async () => {
    const { cwd, env } = place();
    const cli = join(cwd, "claude");
    writeFileSync(cli, "#!/bin/sh\necho boom >&2\nexit 3\n", { mode: 0o755 });
    const { code, err } = await run({ cwd, env }, ["ask", "--cli", cli, "hello"]);
    expect(code).toBe(126);
    expect(err).toContain("exit code 3, boom");
    expect(err).toContain("Set --cli or HAWSER_CLI to the `claude` executable");
  });

  it("reports a missing login without naming /login, which it does not have", async () => {
    const { code, err } = await run(place(), ["ask", "hello"]);
    expect(code).toBe(77);
    expect(err).toMatch(
      /^hawser: Not logged in\nRun `claude` and log in, or set ANTHROPIC_API_KEY/,
    );
    expect(err).not.toContain("/login");
  });

  it.each([["--offline"], ["--agent"], ["--agent", "--offline"]])(
    "reports that there is no session to continue: -c %s",
    async (...flags) => {
      const here = place();
      const { code, out, err } = await run(here, ["ask", "-c", ...flags, "hello"]);
      expect({ code, out }).toEqual({ code: 66, out: "" });
      expect(err).toContain(`There is no session to continue in ${here.cwd}.`);
    },
  );

  it.each([
    [["ask", "--resume", "abc", "hello"], 66, 'There is no session "abc".'],
    [["ask", "--cli", "/nowhere/x", "hello"], 127, "The CLI that --cli names was not found"],
    [["ask", "--allow", "Bash(", "hello"], 64, "--allow has an unclosed parenthesis."],
    [["ask", "--fork", "hello"], 64, "Set --resume or --continue, or leave --fork out."],
    [["ask", "--offline", "--cli", "/nowhere/x", "hello"], 127, "The CLI that --cli names"],
    [["ask"], 64, "There is no prompt."],
    [["ask", "--modle", "x", "hello"], 64, "Did you mean --model?"],
    [
      ["ask", "--budget", "much", "hello"],
      64,
      "--budget must be an amount in dollars such as 0.50, not much.",
    ],
    [
      ["ask", "--timeout", "soon", "hello"],
      64,
      "--timeout must be a time such as 90s, 5m or 1h, not soon.",
    ],
    [["ask", "--schema", "none.json", "hello"], 64, "Cannot read --schema none.json: ENOENT"],
    [["ask", "--mcp", "none.json", "hello"], 64, "Cannot read --mcp none.json: ENOENT"],
    [["ask", "--mode", "plann", "hello"], 64, "Did you mean plan?"],
    [["ask", "--mode", "foo", "hello"], 64, "Use one of: default, acceptEdits"],
    [["ask", "--cwd", "missing", "hello"], 66, "missing does not exist"],
    [["ask", "--cli", "/nowhere/claude", "hello"], 127, "there is no file /nowhere/claude"],
    [["asks", "hello"], 64, "Did you mean `hawser ask`?"],
  ])("explains what is wrong with %j in the words of its flags", async (args, code, words) => {
    const ran = await run(place(), args);
    expect(ran).toMatchObject({ code, out: "", err: expect.stringContaining(words) });
    expect(ran.err).not.toMatch(/claude -p|cliPath|configDir|listSessions|persistSession/);
  });

  it.each([
    [["ask", "--resume", "abc", "hello"], 66],
    [["ask", "--budget", "much", "hello"], 64],
    [["ask", "--cli", "/nowhere/claude", "hello"], 127],
    [["asks", "hello"], 64],
  ])("prints the error of %j as JSON with --json", async (args, code) => {
    const ran = await run(place(), [...args, "--json"]);
    expect(ran.code).toBe(code);
    expect(JSON.parse(ran.out)).toMatchObject({ error: { code: expect.any(String) } });
  });

  it("exits with 141 and no message when the reader of the pipe is gone", async () => {
    const { cwd, env } = standIn();
    const script = `"${process.execPath}" "${HAWSER}" ask --offline "count to 9" | true; echo "\${PIPESTATUS[0]}"`;
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn("bash", ["-c", script], { cwd, env, stdio: [...stdio] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect({ out, err }).toEqual({ out: "141\n", err: "" });
  });
});
