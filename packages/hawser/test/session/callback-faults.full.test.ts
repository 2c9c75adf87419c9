import { describe, expect, it, onTestFinished } from "vitest";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import type { Options } from "../../src/options/index.js";
import type { Action } from "../../src/testing/index.js";
import { recordingLogger } from "../support/recording-logger.js";
import { open } from "./fake.helper.js";

const bash: Action = { tool: "Bash", input: { command: "ls" } };

/** Functions of the caller's that throw this text, and what makes the CLI call them. */
const CALLBACKS: readonly {
  readonly name: string;
  readonly options: (boom: () => never) => Options;
  readonly actions: readonly Action[];
  readonly says: string;
}[] = [
  {
    name: "canUseTool",
    options: (boom) => ({ canUseTool: boom }),
    actions: [bash],
    says: "canUseTool threw, so the call was denied",
  },
  {
    name: "a hook of PreToolUse",
    options: (boom) => ({ hooks: { PreToolUse: [{ hooks: [boom] }] } }),
    actions: [bash],
    says: "A PreToolUse hook failed, so the call was denied",
  },
  {
    name: "a hook of Stop",
    options: (boom) => ({ hooks: { Stop: [{ hooks: [boom] }] } }),
    actions: [{ hook: "Stop" }],
    says: "A Stop hook failed",
  },
  {
    name: "a tool of createSdkMcpServer()",
    options: (boom) => ({
      mcpServers: {
        own: createSdkMcpServer({ name: "own", tools: [tool("t", "d", {}, async () => boom())] }),
      },
      allowedTools: ["mcp__own__t"],
    }),
    actions: [{ tool: "mcp__own__t", input: {} }],
    says: "The tool t failed",
  },
  {
    name: "onElicitation",
    options: (boom) => ({ onElicitation: boom }),
    actions: [{ ask: { subtype: "elicitation", mcp_server_name: "s", message: "m" } }],
    says: "onElicitation threw, so the server was declined",
  },
  {
    name: "onUserDialog",
    options: (boom) => ({ onUserDialog: boom }),
    actions: [{ ask: { subtype: "request_user_dialog", dialog_kind: "k", payload: {} } }],
    says: "onUserDialog threw, so the dialog was cancelled",
  },
  {
    name: "the stderr callback",
    options: (boom) => ({ stderr: boom }),
    actions: [{ stderr: "a line\n" }],
    says: "the stderr callback threw",
  },
];

interface Warning extends Error {
  readonly code?: string;
  readonly detail?: string;
}

/** Runs the actions twice, in a session in which the callback throws an error of this text. */
async function run(
  { options, actions }: (typeof CALLBACKS)[number],
  text: string,
  more: Options = {},
): Promise<Warning[]> {
  const warnings: Warning[] = [];
  const listener = (warning: Error) => void warnings.push(warning);
  process.on("warning", listener);
  onTestFinished(() => void process.off("warning", listener));
  const boom = () => {
    throw new TypeError(text);
  };
  const steps = [{ on: "user", times: "always", do: [...actions, { turn: "done" }] }] as const;
  const { session } = await open([...steps], { ...options(boom), ...more });
  await session.send("go").text();
  await session.send("again").text();
  await session.close();
  return warnings.filter(({ code }) => code === "HAWSER_CALLBACK_FAILED");
}

describe.each(CALLBACKS)("an error thrown by $name", (callback) => {
  it("is emitted once as a Node warning with its stack if there is no logger", async () => {
    const text = `a bug in ${callback.name} sk-ant-REDACTED`;
    const warnings = await run(callback, text);
    expect(warnings).toHaveLength(1);
    const [warning] = warnings;
    expect(warning?.name).toBe("HawserWarning");
    expect(warning?.message).toBe(`${callback.says}: a bug in ${callback.name} ***`);
    expect(warning?.detail).toContain("callback-faults.full.test");
    expect(warning?.detail).not.toContain("sk-ant");
  });

  it("goes to the logger as the Error itself each time", async () => {
    const { logger, entries } = recordingLogger();
    expect(await run(callback, "a bug", { logger })).toEqual([]);
    const told = entries.filter(({ message }) => message === callback.says);
    expect(told.length).toBeGreaterThanOrEqual(2);
    const error = told[0]?.fields?.["error"];
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: "TypeError", message: "a bug" });
    expect((error as Error).stack).toContain("callback-faults.full.test");
  });
});

describe("an error thrown by two callbacks with the same text", () => {
  it("is emitted as a warning for each callback", async () => {
    const [callback] = CALLBACKS;
    if (callback === undefined) throw new Error("There is no callback.");
    expect(await run(callback, "the same bug")).toHaveLength(1);
    expect(await run(callback, "the same bug")).toHaveLength(1);
  });
});
