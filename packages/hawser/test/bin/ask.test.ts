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

describe("hawser ask, in a terminal", () => {
  it("shows the answer, then model, turns, tokens, cost and time on one line", async () => {
    const pty = hawserIn(place(), "ask", "--offline", "hello");
    await pty.shows(/offline: Claude Code \d+\.\d+\.\d+ with a simulated model\n/);
    await pty.shows("You said: hello\n");
    await pty.shows(/claude-\S+ · 1 round · \d+ tokens in, \d+ out · \$0\.\d+ · \d+\.\d s/);
    expect((await pty.exit).code).toBe(0);
  });

  it("shows tools as they are used, and asks about those that need it", async () => {
    const here = place();
    const pty = hawserIn(here, "ask", "--offline", "--tools", "Bash", "run echo tied > knot.txt");
    await pty.shows("● Bash echo tied > knot.txt");
    await pty.shows("[y]es");
    pty.enter("y");
    await pty.shows("⎿");
    await pty.shows("2 rounds");
    expect((await pty.exit).code).toBe(0);
    expect(readFileSync(join(here.cwd, "knot.txt"), "utf8")).toBe("tied\n");
  });

  it("gives no advice on a tool that the person has refused", async () => {
    const pty = hawserIn(place(), "ask", "--offline", "--tools", "Bash", "run touch a.txt");
    await pty.shows("[y]es");
    pty.enter("n");
    expect((await pty.exit).code).toBe(0);
    expect(pty.text).not.toContain("--allow");
    expect(pty.text).not.toContain("was denied");
  });

  it("shows no warning of Node because --allow lets a tool pass the question", async () => {
    const here = place();
    const pty = hawserIn(here, "ask", "--offline", "-t", "Bash", "--allow", "Bash", "run touch x");
    await pty.shows("2 rounds");
    expect((await pty.exit).code).toBe(0);
    expect(existsSync(join(here.cwd, "x"))).toBe(true);
    expect(pty.raw).not.toMatch(/warning|canUseTool/i);
  });

  it("stops at Ctrl-C with what it has, and leaves no process behind", async () => {
    const pty = hawserIn(place(), "ask", "--offline", "count to 500");
    await pty.shows("5 6 7");
    const tree = treeOf(pty.pid);
    pty.type(KEYS.ctrlC);
    await pty.shows("Stopped.");
    expect((await pty.exit).code).toBe(130);
    await until(() => stillAlive(tree).length === 0);
  });

  it("quits at once at the second Ctrl-C, whatever the CLI does", async () => {
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

  it("lets no answer move the cursor, and is without colours if NO_COLOR says so", async () => {
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

describe("hawser ask, in a pipe", () => {
  it("prints the answer and nothing else", async () => {
    expect(await run(place(), ["ask", "--offline", "What is a bowline?"])).toEqual({
      code: 0,
      out: "A bowline makes a loop that neither slips nor jams.\n",
      err: "",
    });
  });

  it("takes the prompt from words, a file and the input together", async () => {
    const here = place();
    writeFileSync(join(here.cwd, "more.txt"), "of the file");
    const args = ["ask", "--offline", "--file", "more.txt", "Words"];
    const { out } = await run(here, args, "and the input\n");
    expect(out).toContain("You said: Words\n\nof the file\n\nand the input");
  });

  it("does not wait for an input that nobody writes to", async () => {
    const { cwd, env } = place();
    const child = spawn(process.execPath, [HAWSER, "ask", "--offline", "hello"], { cwd, env });
    onTestFinished(() => void child.stdin.destroy());
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(out).toContain("You said: hello");
    expect(err).toContain("nothing has arrived on stdin yet, so it is ignored");
  });

  it("gives a value that fits a schema, and the whole outcome as JSON", async () => {
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
    const { out } = await run(here, args);
    expect(JSON.parse(out)).toEqual(value);
    const whole = await run(here, [...args, "--json"]);
    expect(JSON.parse(whole.out)).toMatchObject({
      value,
      stop: "completed",
      turns: expect.any(Number),
    });
  });

  it("refuses tools when nobody can be asked, and says how to permit them", async () => {
    const here = place();
    const { code, out, err } = await run(here, ["ask", "--offline", "-t", "Bash", "run touch x"]);
    expect(code).toBe(0);
    expect(out).toContain("It did not work");
    expect(err).toBe("hawser: Bash was denied. --allow 'Bash(touch x)' allows it.\n");
    // What it says is copied into a shell as it stands.
    const [, flag] = /(--allow '.*') allows it/.exec(err) ?? [];
    const line = `"${process.execPath}" "${HAWSER}" ask --offline -t Bash ${flag} "run touch x"`;
    const allowed = spawn("sh", ["-c", line], { ...here, stdio: ["ignore", "pipe", "pipe"] });
    expect(await text(allowed.stderr)).toBe("");
    expect(existsSync(join(here.cwd, "x"))).toBe(true);
  });

  it("has no advice for a tool that --deny refuses", async () => {
    const args = ["ask", "--offline", "-t", "Bash", "--deny", "Bash(touch *)", "run touch x"];
    const { err } = await run(place(), args);
    expect(err).toBe("hawser: Bash was denied: a --deny rule matches the call.\n");
  });

  it("says how to permit a tool that --deny leaves alone", async () => {
    const args = ["ask", "--offline", "-t", "Bash", "--deny", "Bash(rm *)", "run touch x"];
    const { err } = await run(place(), args);
    expect(err).toBe(
      "hawser: Bash was denied. --allow 'Bash(touch x)' allows it. A --deny rule that matches wins.\n",
    );
  });

  it("answers by a stand-in where there is no CLI", async () => {
    const { cwd, env } = place();
    const alone = { ...env, HAWSER_CLI: "/nowhere/claude" };
    expect(await run({ cwd, env: alone }, ["ask", "--offline", "hello"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("You said: hello"),
    });
  });

  it("runs no tool on the stand-in, and says that it was refused", async () => {
    const { cwd, env } = place();
    const here = { cwd, env: { ...env, HAWSER_CLI: "/nowhere/claude" } };
    const { out, err } = await run(here, ["ask", "--offline", "-t", "Bash", "run touch x"]);
    expect(out).toContain("It did not work");
    expect(out).not.toContain("would have done");
    expect(err).toBe("hawser: Bash was denied. --allow 'Bash(touch x)' allows it.\n");
  });

  it("costs nothing with --offline, and says so in its figures", async () => {
    const { out } = await run(place(), ["ask", "--offline", "--json", "hello"]);
    expect(JSON.parse(out)).toMatchObject({
      text: expect.stringContaining("cost nothing"),
      costUsd: 0,
    });
  });

  it("shows a warning of the library as a line of its own, without Node's marks", async () => {
    const { code, err } = await run(place(), ["ask", "--offline", "--effort", "turbo", "hello"]);
    expect(code).toBe(0);
    expect(err).toMatch(/^hawser: effort "turbo" is unknown to hawser/m);
    expect(err).not.toContain("(node:");
  });

  it("says what the CLI wrote before it died", async () => {
    const { cwd, env } = place();
    const cli = join(cwd, "claude");
    writeFileSync(cli, "#!/bin/sh\necho boom >&2\nexit 3\n", { mode: 0o755 });
    const { code, err } = await run({ cwd, env }, ["ask", "--cli", cli, "hello"]);
    expect(code).toBe(126);
    expect(err).toContain("exit code 3, boom");
    expect(err).toContain("Set --cli or HAWSER_CLI to the `claude` executable");
  });

  it("says that it is not logged in, without a command that there is not", async () => {
    const { code, err } = await run(place(), ["ask", "hello"]);
    expect(code).toBe(77);
    expect(err).toMatch(
      /^hawser: Not logged in\nRun `claude` and log in, or set ANTHROPIC_API_KEY/,
    );
    expect(err).not.toContain("/login");
  });

  it.each([["--offline"], ["--agent"], ["--agent", "--offline"]])(
    "says that there is no session to go on with: -c %s",
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
  ])("says what is wrong with %j", async (args, code, words) => {
    const ran = await run(place(), args);
    expect(ran).toMatchObject({ code, out: "", err: expect.stringContaining(words) });
    expect(ran.err).not.toMatch(/claude -p|cliPath|configDir|listSessions|persistSession/);
    const asJson = await run(place(), [...args, "--json"]);
    expect(asJson.code).toBe(code);
    expect(JSON.parse(asJson.out)).toMatchObject({ error: { code: expect.any(String) } });
  });

  it("ends without a word when nobody reads the answer", async () => {
    const { cwd, env } = place();
    const script = `"${process.execPath}" "${HAWSER}" ask --offline "count to 9" | true; echo "\${PIPESTATUS[0]}"`;
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn("bash", ["-c", script], { cwd, env, stdio: [...stdio] });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect({ out, err }).toEqual({ out: "141\n", err: "" });
  });
});
