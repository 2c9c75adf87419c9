import { describe, expect, it, onTestFinished } from "vitest";
import { fakeCli, type Step } from "../../src/testing/index.js";
import { isAlive, until } from "../support/proc.js";
import { DIST, printedPid, startUserProgram } from "../support/user-program.js";

/** Ignores the end of its input, so that only a signal ends it. */
const STAYS: Step = { on: "eof", times: "always", do: [] };
const HANGS: Step = { on: "user", do: [{ init: {} }, { hang: true }] };

/** A user's program that has a query of a fake CLI and prints its pid; `rest` is what it does then. */
async function program(rest: string, steps: readonly Step[], flags: readonly string[] = []) {
  const cli = await fakeCli({ steps });
  onTestFinished(() => cli.dispose());
  const source = `
    import { query } from ${JSON.stringify(DIST)};
    let prompt = (async function* () { yield { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null }; await new Promise(() => {}); })();
    let q = query({ prompt, options: { cliPath: process.argv[1] } });
    console.log((await q.initializationResult()).pid);
    ${rest}`;
  const started = startUserProgram(source, cli.path, { flags });
  return { ...started, pid: await printedPid(started) };
}

describe.skipIf(process.platform !== "linux")("a program that does not close its query", () => {
  it.each([
    ["nobody reads it", "", 0],
    ["process.exit()", "process.exit(3);", 3],
    ["an exception", 'await q.next(); throw new Error("crash");', 1],
  ])("exits and ends its CLI: %s", async (_, rest, code) => {
    const { pid, closed } = await program(rest, [HANGS, STAYS]);
    expect(await closed).toEqual([code, null]);
    await until(() => !isAlive(pid));
  });

  it("loses the CLI of a query that was garbage-collected", async () => {
    const drop = "await q.next(); q = undefined; setInterval(() => gc(), 20);";
    const { child, pid } = await program(drop, [HANGS, STAYS], ["--expose-gc"]);
    await until(() => !isAlive(pid));
    expect(child.exitCode).toBeNull();
  });

  it("keeps the CLI of a query that is still read", async () => {
    const late: Step = { on: "user", do: [{ sleep: 1500 }, { emit: { type: "late" } }] };
    const read = `
      const iteration = (async (messages) => { for await (const { type } of messages) { console.log(type); break; } })(q);
      q = undefined;
      setInterval(() => gc(), 20).unref();
      await iteration;`;
    const { lines, closed } = await program(read, [late], ["--expose-gc"]);
    expect(await closed).toEqual([0, null]);
    expect(lines()[1]).toBe("late");
  });

  it("keeps the CLI of a query with a pending promise", async () => {
    const slow: Step = {
      on: "control",
      subtype: "mcp_status",
      do: [{ sleep: 1500 }, { respond: { mcpServers: [] } }],
    };
    const wait = `
      const status = q.mcpServerStatus();
      q = undefined;
      setInterval(() => gc(), 20).unref();
      console.log((await status).length);
      process.exit(0);`;
    const { lines, closed } = await program(wait, [slow, HANGS], ["--expose-gc"]);
    expect(await closed).toEqual([0, null]);
    expect(lines()[1]).toBe("0");
  });
});
