import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { ERROR_CODES } from "../../src/base/index.js";
import { HAWSER, place } from "../support/pty.js";

const COMMANDS: readonly (readonly [line: string, input: string])[] = [
  ["ask --offline hello", ""],
  ["ask --offline --json hello", ""],
  ["chat --offline", "hello\n"],
  ["chat --offline --json", "hello\n"],
  ["sessions --json", ""],
  ["explain", ""],
  ["doctor", ""],
  ["demo", ""],
  ["--help", ""],
];

/** Without a CLI where the command can do without, because its output is the subject. */
function machineFor(line: string) {
  const { cwd, env } = place();
  const needsCli = /^(?:explain|doctor)/.test(line);
  return { cwd, env: needsCli ? env : { ...env, HAWSER_CLI: "/nowhere/claude" } };
}

/** Runs the command with its streams as a shell line redirects them. */
async function run(line: string, redirection: string, input = "") {
  const machine = machineFor(line);
  const script = `exec "$0" "$1" ${line} ${redirection}`;
  const child = spawn("/bin/sh", ["-c", script, process.execPath, HAWSER], machine);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end(input);
  const streams = [text(child.stdout), text(child.stderr)] as const;
  const [[code], out, err] = await Promise.all([once(child, "exit"), ...streams]);
  return { code, out, err, left: readdirSync(machine.env["TMPDIR"] ?? "") };
}

describe.skipIf(process.platform !== "linux")("stdout and stderr of hawser", () => {
  it.each(COMMANDS)(
    "`%s > /dev/full` reports on one line that stdout cannot be written",
    async (line, input) => {
      const { code, err, left } = await run(line, "> /dev/full", input);
      expect(err.trimEnd().split("\n").at(-1)).toBe(
        "hawser: Cannot write the output: ENOSPC: no space left on device.",
      );
      expect(err).not.toMatch(/\n {4}at |throw |node:/);
      expect(code).toBe(ERROR_CODES.closed.exitCode);
      expect(left).toEqual([]);
    },
  );

  it.each(COMMANDS)(
    "`%s` exits with 141 and no message when its reader is gone",
    async (line, input) => {
      const child = spawn(process.execPath, [HAWSER, ...line.split(" ")], machineFor(line));
      onTestFinished(() => void child.kill("SIGKILL"));
      child.stdout.destroy();
      child.stdin.end(input);
      const [[code], err] = await Promise.all([once(child, "exit"), text(child.stderr)]);
      expect(err).toBe("");
      expect(code).toBe(141);
    },
  );

  it("a closed stdout is reported on stderr", async () => {
    const { code, err } = await run("--version", ">&-");
    expect(err).toBe("hawser: stdout is closed or discarded, so the output is lost.\n");
    expect(code).toBe(0);
  });

  it("may be discarded with `> /dev/null`", async () => {
    expect(await run("--version", "> /dev/null")).toMatchObject({ code: 0, err: "" });
    const child = spawn(process.execPath, [HAWSER, "--version"], { stdio: "ignore" });
    expect((await once(child, "exit"))[0]).toBe(0);
  });

  it("a stderr that cannot be written does not stop the command", async () => {
    const full = openSync("/dev/full", "w");
    const args = [HAWSER, "ask", "--offline", "--max-turns", "1", "What is a bowline?"];
    const child = spawn(process.execPath, args, {
      ...machineFor("ask"),
      stdio: ["ignore", "pipe", full],
    });
    closeSync(full);
    if (child.stdout === null) throw new Error("no stdout");
    const [[code], out] = await Promise.all([once(child, "exit"), text(child.stdout)]);
    expect(out).toContain("neither slips nor jams");
    expect(code).toBe(0);
  });
});
