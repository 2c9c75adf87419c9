import { describe, expect, it, onTestFinished } from "vitest";
import type { Options } from "../../src/index.js";
import { recordingLogger } from "../support/recording-logger.js";
import { collect, fakeQuery } from "./query.helper.js";

/** The warnings of Node that a query gives rise to. */
async function warningsOf(options: Options): Promise<(Error & { code?: string })[]> {
  const warnings: Error[] = [];
  const listener = (warning: Error) => void warnings.push(warning);
  process.on("warning", listener);
  onTestFinished(() => void process.off("warning", listener));
  const { q } = await fakeQuery([], options);
  await collect(q);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listener);
  return warnings;
}

describe("query() with a guard that is open because of a name", () => {
  const hooks = { PreToolUse: [{ matcher: "bash", hooks: [async () => ({})] }] };
  const server = { command: "true" };

  it("runs as the official SDK does, and warns", async () => {
    const warnings = await warningsOf({
      hooks,
      disallowedTools: ["bsh"],
      allowedTools: ["writee"],
      mcpServers: { a: server, a__b: server },
    });
    expect(warnings.map(({ message }) => message)).toEqual([
      'disallowedTools[0] names no tool: "bsh". Did you mean `Bash`?',
      'hooks.PreToolUse[0].matcher names no tool: "bash". Did you mean `Bash`?',
      expect.stringContaining("mcpServers.a__b collides with mcpServers.a"),
      'allowedTools[0] names no tool: "writee". Did you mean `Write`?',
    ]);
  });

  it("warns once per program, and tells a logger each time", async () => {
    const { logger, entries } = recordingLogger();
    const options = { disallowedTools: ["Bassh"] };
    expect(await warningsOf(options)).toHaveLength(1);
    expect(await warningsOf(options)).toHaveLength(0);
    expect(await warningsOf({ ...options, logger })).toHaveLength(0);
    expect(entries.filter(({ level }) => level === "warn")).toHaveLength(1);
  });
});

describe("query() with a callback that is not asked", () => {
  it("warns with the official code CLAUDE_SDK_CAN_USE_TOOL_SHADOWED, for each query", async () => {
    const canUseTool = async () => ({ behavior: "allow" as const });
    for (const options of [
      { canUseTool, allowedTools: ["Bash"] },
      { canUseTool, allowedTools: ["Bash"] },
      { canUseTool, permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true },
    ] as const) {
      const [first, ...more] = await warningsOf({ ...options, allowedTools: ["Bash"] });
      expect(first?.code).toBe("CLAUDE_SDK_CAN_USE_TOOL_SHADOWED");
      expect(more).toEqual([]);
    }
    expect(await warningsOf({ canUseTool, allowedTools: ["Bash(git *)"] })).toEqual([]);
  });
});
