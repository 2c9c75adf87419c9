import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { fakeCli } from "../../src/testing/index.js";
import { FULL, NEWEST_CLI } from "../support/cli.js";
import { treeOf, until } from "../support/proc.js";
import { HAWSER, hawserIn, type PtyOptions, place } from "../support/pty.js";

const LIVING_HOST = fileURLToPath(new URL("../process/living-host.js", import.meta.url));

/** In a pipe; without input the pipe stays open. */
async function run(here: PtyOptions, args: readonly string[], input?: string) {
  const { cwd, env } = here;
  const child = spawn(process.execPath, [HAWSER, ...args], { cwd, env });
  onTestFinished(() => void child.stdin.destroy());
  if (input !== undefined) child.stdin.end(input);
  const streams = [text(child.stdout), text(child.stderr)] as const;
  const [[code], out, err] = await Promise.all([once(child, "exit"), ...streams]);
  return { code, out, err };
}

/** Where no CLI is installed: a stand-in answers `--offline`. */
function standIn(): ReturnType<typeof place> {
  const { cwd, env } = place();
  return { cwd, env: { ...env, HAWSER_CLI: "/nowhere/claude" } };
}

function left({ env }: PtyOptions): string[] {
  return readdirSync(env["TMPDIR"] ?? "").filter((name) => name.startsWith("hawser-"));
}

describe("hawser leaves no temporary folder behind", () => {
  it.each(["ask", "chat"])("when `hawser %s` refuses its arguments", async (command) => {
    const here = place();
    const ran = await run(here, [command, "--offline", "--budget", "much", "hello"], undefined);
    expect(ran).toMatchObject({ code: 64, out: "" });
    expect(left(here)).toEqual([]);
  });

  it.each(["SIGTERM", "SIGHUP"] as const)("when %s ends it during the start", async (signal) => {
    const here = place();
    const pty = hawserIn(here, "ask", "--offline", "hello");
    await until(() => left(here).length > 0);
    process.kill(pty.pid, signal);
    await pty.exit;
    await until(() => left(here).length === 0);
  });
});

describe("hawser ask --offline beside another host in the same TMPDIR", () => {
  /** A host with a session of its own in the same TMPDIR. */
  async function otherHost({ env }: PtyOptions) {
    const host = spawn(process.execPath, [LIVING_HOST, NEWEST_CLI], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void host.kill("SIGKILL"));
    const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
    const cwd: string = (await lines.next()).value;
    const turn = async () => {
      host.stdin.write("Well?\n");
      return (await lines.next()).value as string;
    };
    const close = async () => {
      const exit = once(host, "exit");
      host.stdin.end();
      return (await exit)[0] as number;
    };
    return { cwd, turn, close };
  }

  it.each(FULL ? (["SIGTERM", "SIGHUP", "a full disk"] as const) : (["SIGTERM"] as const))(
    "removes only its own folders when %s ends it",
    async (how) => {
      const here = place();
      const other = await otherHost(here);
      const theirs = left(here);
      expect(await other.turn()).toBe("Well.");
      const out = how === "a full disk" ? openSync("/dev/full", "w") : "ignore";
      const args = [HAWSER, "ask", "--offline", "count to 500"];
      if (how === "a full disk") args.splice(3, 1, "hello");
      const asker = spawn(process.execPath, args, { ...here, stdio: ["ignore", out, "ignore"] });
      onTestFinished(() => void asker.kill("SIGKILL"));
      if (typeof out === "number") closeSync(out);
      const exit = once(asker, "exit");
      if (how !== "a full disk") {
        // With its CLI running it has folders of its own, and processes that write into them.
        // A CLI that only tells its version runs before there is a folder.
        const hasCli = () =>
          treeOf(asker.pid ?? 0).some(({ command }) => command.includes("claude"));
        await until(() => left(here).length > theirs.length && hasCli());
        asker.kill(how);
      }
      const [code, signal] = await exit;
      expect(how === "a full disk" ? code !== 0 : signal === how).toBe(true);
      await until(() => left(here).length === theirs.length);
      expect(left(here)).toEqual(theirs);
      expect(readFileSync(join(other.cwd, "precious.txt"), "utf8")).toBe("work of a day");
      expect(await other.turn()).toBe("Well.");
      expect(await other.close()).toBe(0);
      expect(left(here)).toEqual([]);
    },
  );
});

describe("hawser in a pipe", () => {
  it("ends each answer of chat with a line break", async () => {
    const { out } = await run(standIn(), ["chat", "--offline"], "What is a bowline?\nhello\n");
    expect(out).toMatch(/^A bowline .*jams\.\n.*You said: hello\n$/);
  });

  it("reports a failed turn of chat --json as JSON and by the exit code", async () => {
    const cli = await fakeCli({ steps: [{ on: "user", times: "always", do: [{ exit: 3 }] }] });
    onTestFinished(() => cli.dispose());
    const here = place();
    const env = { ...here.env, HAWSER_CLI: cli.path };
    const { code, out } = await run({ ...here, env }, ["chat", "--json"], "hello\n");
    const last = JSON.parse(out.trim().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ error: { code: "process_exited" } });
    expect(code).toBe(70);
  });

  it("takes --json after -- for a word of the prompt", async () => {
    const args = ["ask", "--budget", "much", "--", "--json"];
    expect(await run(place(), args, "")).toMatchObject({ code: 64, out: "" });
  });

  it.each([["--model="], ["--cwd="], ["--add-dir="], ["--model", "--json"], ["--timeout", "0"]])(
    "refuses %s %s",
    async (...flag) => {
      expect(await run(place(), ["ask", ...flag.filter(Boolean), "hello"], "")).toMatchObject({
        code: 64,
      });
    },
  );
});

it("hawser chat stays in its conversation when /resume finds no other", async () => {
  const pty = hawserIn(standIn(), "chat", "--offline");
  await pty.shows("/exit to leave\n>");
  pty.enter("/resume 11111111-2222-4333-8444-555555555555");
  await pty.shows("! ");
  await pty.shows("\n>");
  pty.enter("hello");
  await pty.shows("You said: hello");
});

describe("hawser doctor exits as a call would", () => {
  it.each([
    ["ANTHROPIC_BASE_URL", "foo", 69],
    ["ANTHROPIC_BASE_URL", "htp://x", 69],
    ["ANTHROPIC_API_KEY", "   ", 77],
    ["HTTPS_PROXY", "foo", 70],
  ])("with %s=%s", async (name, value, code) => {
    const { cwd, env } = place();
    const given = { ...env, ANTHROPIC_API_KEY: "dummy", [name]: value };
    expect(await run({ cwd, env: given }, ["doctor"], "")).toMatchObject({ code });
  });

  it("with a cwd that is a file, a state file without an object, and an empty login", async () => {
    const { cwd, env } = place();
    const home = env["HOME"] ?? "";
    writeFileSync(join(home, ".claude.json"), "[]");
    const given = { ...env, ANTHROPIC_API_KEY: "dummy" };
    expect(await run({ cwd, env: given }, ["doctor"], "")).toMatchObject({ code: 0 });
    const args = ["doctor", "--cwd", join(home, ".claude.json")];
    expect(await run({ cwd, env: given }, args, "")).toMatchObject({ code: 66 });
    writeFileSync(join(cwd, ".credentials.json"), "{}");
    const loggedOut = { ...env, CLAUDE_CONFIG_DIR: cwd };
    expect(await run({ cwd, env: loggedOut }, ["doctor"], "")).toMatchObject({ code: 77 });
  });
});
