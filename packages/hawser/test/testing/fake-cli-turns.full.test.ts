import { describe, expect, it } from "vitest";
import {
  apiError,
  isolatedEnv,
  type Json,
  type ReplyInput,
  reply,
  type Scenario,
  SimulatedModel,
  type TurnPart,
  thinking,
  toolUse,
  usageLimit,
} from "../../src/testing/index.js";
import { FULL, NEWEST_CLI } from "../support/cli.js";
import { CliProcess, type Line, STREAM_JSON } from "./cli-process.helper.js";
import { converse, type Host, kind, play, STATES, textBlock } from "./fake-cli-host.helper.js";

/** A conversation: `model` is for the real CLI, `turns` is the same for the fake. */
interface Scene extends Host {
  readonly args?: readonly string[];
  readonly model: readonly ReplyInput[];
  readonly turns: readonly (readonly TurnPart[])[];
  readonly mcp?: Scenario["mcp"];
  readonly oauthToken?: string;
}

const ASK = "--permission-prompt-tool=stdio";
const touch = { command: "touch made", description: "make it" };
const other = { command: "touch other" };
const bash = toolUse("Bash", touch);
const output = { stdout: "", stderr: "", interrupted: false, isImage: false };
const bashCall: TurnPart = {
  tool: "Bash",
  input: touch,
  result: "(Bash completed with no output)",
  structured: { ...output, noOutputExpected: true },
};
const noFiles = {
  result: "No files found",
  structured: { filenames: [], numFiles: 0, truncated: false },
};
const NO_SERVER = { mcpServers: { git: { command: "/nonexistent/git-mcp" } } };
const hooks = (...events: string[]) => ({
  hooks: Object.fromEntries(events.map((event) => [event, [{ hookCallbackIds: [event] }]])),
});
const preToolUse = (fields: Json) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", ...fields },
});
const isHook = (event: string, { callback_id }: Json) => callback_id === event;

const RESETS = new Date(Math.ceil(Date.now() / 3_600_000 + 30) * 3_600_000);

const FAILURES: Readonly<Record<string, Scene>> = {
  "an invalid API key": failing(apiError(401), { apiError: 401 }),
  "a refused login": failing(apiError(401, { message: "No." }), {
    apiError: 401,
    message: "No.",
  }),
  "too many requests": failing(apiError(429), { apiError: 429 }),
  "an overloaded API": failing(apiError(529), { apiError: 529 }),
  "a usage limit": {
    ...failing(usageLimit({ resetsAt: RESETS }), { apiError: 429, resetsAt: RESETS }),
    // One prompt, because a successful reply reports the limit, too.
    says: ["p1"],
    oauthToken: "sk-ant-oat01-simulated",
  },
};

/** Fails at the first request, then after a tool. */
function failing(reply: ReplyInput, action: TurnPart): Scene {
  return {
    args: ["--tools=Bash", "--allowedTools=Bash"],
    initialize: hooks("Stop", "StopFailure"),
    model: [reply, bash, reply],
    turns: [[action], [bashCall, action, "never"]],
    says: ["p1", "p2"],
    answers: () => ({}),
  };
}

const SCENES: Readonly<Record<string, Scene>> = {
  "a text": { model: ["Hello."], turns: [["Hello."]], says: ["go"] },
  "thinking and text, in pieces": {
    args: ["--include-partial-messages"],
    model: [reply([thinking("Hm.", { signature: "c2ln" }), "Hello."], { chunks: 1 })],
    turns: [[[{ type: "thinking", thinking: "Hm.", signature: "c2ln" }, textBlock("Hello.")]]],
    says: ["go"],
  },
  "a tool that is allowed, changed, denied, and denied with interrupt": {
    args: ["--tools=Bash", ASK],
    initialize: hooks("PostToolUse"),
    model: [bash, "one", bash, "two", bash, "three", bash, "never"],
    turns: [
      [bashCall, "one"],
      [bashCall, "two"],
      [bashCall, "three"],
      [bashCall, "never"],
    ],
    says: ["p1", "p2", "p3", "p4"],
    answers: ({ subtype }, n) =>
      subtype === "hook_callback"
        ? {}
        : [
            { behavior: "allow" },
            { behavior: "allow", updatedInput: other },
            { behavior: "deny", message: "no way" },
            { behavior: "deny", message: "stop", interrupt: true },
          ][n],
  },
  "a permission that is not answered before an interrupt": {
    args: ["--tools=Bash", ASK],
    model: [bash, "never"],
    turns: [[bashCall, "never"]],
    says: ["go"],
    answers: () => "interrupt",
  },
  "hooks around a tool": {
    args: ["--tools=Bash", ASK],
    initialize: hooks("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"),
    model: [bash, "one"],
    turns: [[bashCall, "one"]],
    says: ["go"],
    answers: ({ subtype }) => (subtype === "can_use_tool" ? { behavior: "allow" } : {}),
  },
  "a hook that denies, allows another input, and asks": {
    args: ["--tools=Bash", ASK],
    initialize: hooks("PreToolUse", "PostToolUse"),
    model: [bash, "one", bash, "two", bash, "three"],
    turns: [
      [bashCall, "one"],
      [bashCall, "two"],
      [bashCall, "three"],
    ],
    says: ["p1", "p2", "p3"],
    answers: (request, n) => {
      if (request["subtype"] === "can_use_tool") return { behavior: "allow" };
      if (!isHook("PreToolUse", request)) return {};
      if (n === 0) {
        return preToolUse({ permissionDecision: "deny", permissionDecisionReason: "guarded" });
      }
      if (n === 1) return preToolUse({ permissionDecision: "allow", updatedInput: other });
      return preToolUse({ permissionDecision: "ask", permissionDecisionReason: "because" });
    },
  },
  "a hook that does not answer in time": {
    args: ["--tools=Bash", "--allowedTools=Bash"],
    initialize: { hooks: { PreToolUse: [{ hookCallbackIds: ["PreToolUse"], timeout: 0.2 }] } },
    model: [bash, "one"],
    turns: [[bashCall, "one"]],
    says: ["go"],
    answers: () => undefined,
  },
  "hooks that refuse the prompt, want more, and stop the turn": {
    args: ["--tools=Bash", "--allowedTools=Bash"],
    initialize: hooks("UserPromptSubmit", "PostToolUse", "Stop"),
    model: ["two", "ok", bash],
    turns: [["one"], ["two"], [bashCall, "never"]],
    says: ["refused", "p2", "p3"],
    answers: (request, n) => {
      const { prompt } = request["input"] as { prompt?: string };
      if (prompt === "refused") return { decision: "block", reason: "not that" };
      if (isHook("Stop", request) && n === 0) return { decision: "block", reason: "go on" };
      return isHook("PostToolUse", request) ? { continue: false, stopReason: "enough" } : {};
    },
  },
  "a tool without a permission prompt": {
    args: ["--tools="],
    initialize: { sdkMcpServers: ["srv"] },
    model: [toolUse("mcp__srv__add", { a: 1 }), "one"],
    turns: [[{ tool: "mcp__srv__add", input: { a: 1 } }, "one"]],
    says: ["go"],
    answers: serve,
  },
  "tools of a server in the host": {
    args: ["--tools=", ASK],
    initialize: { sdkMcpServers: ["srv"], ...hooks("PreToolUse", "PostToolUse") },
    model: [toolUse("mcp__srv__add", { a: 1 }), "one", toolUse("mcp__srv__add", { a: 2 }), "two"],
    turns: [
      [{ tool: "mcp__srv__add", input: { a: 1 } }, "one"],
      [{ tool: "mcp__srv__add", input: { a: 2 } }, "two"],
    ],
    says: ["p1", "p2", { subtype: "mcp_status" }],
    answers: (request) =>
      request["subtype"] === "can_use_tool" ? { behavior: "allow" } : serve(request),
  },
  "tools that do not exist": {
    args: ["--tools=Bash,Read", ASK, "--disallowedTools=Bash,Edit(*.md),mcp__srv__add"],
    initialize: { sdkMcpServers: ["srv"], ...hooks("PreToolUse", "PostToolUse") },
    model: ["Bash", "Write", "Bogus", "mcp__srv__add", "mcp__srv__other", "mcp__git__log"].flatMap(
      (name) => [toolUse(name, { a: 1 }), name],
    ),
    turns: ["Bash", "Write", "Bogus", "mcp__srv__add", "mcp__srv__other", "mcp__git__log"].map(
      (name) => [{ tool: name, input: { a: 1 } }, name],
    ),
    says: ["p1", "p2", "p3", "p4", "p5", "p6"],
    answers: serve,
  },
  "a tool that a setting takes away": {
    args: [ASK, '--settings={"permissions":{"deny":["Bash"]}}'],
    model: [bash, "one"],
    turns: [[bashCall, "one"]],
    says: ["go"],
  },
  "tools that need no permission, and one that would": {
    args: ["--tools=Read,Glob,TaskList", ASK],
    initialize: hooks("PreToolUse"),
    model: [
      toolUse("Glob", { pattern: "*" }),
      "one",
      toolUse("TaskList", {}),
      "two",
      toolUse("Read", { file_path: "/etc/hosts" }),
      "three",
    ],
    turns: [
      [{ tool: "Glob", input: { pattern: "*" }, ...noFiles }, "one"],
      [{ tool: "TaskList", result: "No tasks found", structured: { tasks: [] } }, "two"],
      [{ tool: "Read", input: { file_path: "/etc/hosts" } }, "three"],
    ],
    says: ["p1", "p2", "p3"],
    answers: ({ subtype }) =>
      subtype === "can_use_tool" ? { behavior: "deny", message: "not that file" } : {},
  },
  "more rounds than --max-turns": {
    args: ["--tools=Bash", "--allowedTools=Bash", "--max-turns=2"],
    initialize: hooks("Stop"),
    model: [bash, bash, bash, "one"],
    turns: [
      [bashCall, bashCall, "never"],
      [bashCall, "one"],
    ],
    says: ["p1", "p2"],
    answers: () => ({}),
  },
  "an MCP server that has failed": {
    args: ["--tools=", ASK, "--strict-mcp-config", `--mcp-config=${JSON.stringify(NO_SERVER)}`],
    model: [toolUse("mcp__git__log", {}), "one"],
    turns: [[{ tool: "mcp__git__log" }, "one"]],
    mcp: { git: "failed" },
    says: ["go"],
  },
  "a structured value": {
    args: ["--tools="],
    initialize: { jsonSchema: { type: "object", properties: { a: { type: "number" } } } },
    model: [toolUse("StructuredOutput", { a: 1 })],
    turns: [[{ value: { a: 1 } }]],
    says: ["go"],
  },
  "a permission mode that was set": {
    model: ["one"],
    turns: [["one"]],
    says: [{ subtype: "set_permission_mode", mode: "acceptEdits" }, "go"],
  },
};

/**
 * The scenes of `npm test`: permissions, hooks, in-process servers, missing tools, limits and errors.
 * A full run has all scenes.
 */
const SHORT: readonly string[] = [
  "a tool that is allowed, changed, denied, and denied with interrupt",
  "a hook that denies, allows another input, and asks",
  "hooks that refuse the prompt, want more, and stop the turn",
  "tools of a server in the host",
  "tools that do not exist",
  "more rounds than --max-turns",
  "an invalid API key",
];

describe("fakeCli()", () => {
  const all = Object.entries({ ...SCENES, ...FAILURES });
  const scenes = all.filter(([name]) => FULL || SHORT.includes(name));
  it.each(scenes)(
    "prints the lines of the real CLI for %s",
    { timeout: 60_000 },
    async (_, scene) => {
      await using model = await SimulatedModel.start({ replies: scene.model });
      const extra = { ...STATES, CLAUDE_CODE_MAX_RETRIES: "0" };
      const { oauthToken } = scene;
      await using place = await isolatedEnv({
        baseUrl: model.url,
        extra,
        ...(oauthToken === undefined ? {} : { oauthToken }),
      });
      await using real = new CliProcess(NEWEST_CLI, argsOf(scene), place);
      const expected = comparable(await converse(real, scene));

      const steps = scene.turns.map((turn) => ({ on: "user" as const, do: [{ turn }] }));
      await using fake = await play({ steps, states: true, mcp: scene.mcp }, argsOf(scene));
      const lines = comparable(await converse(fake.run, scene));

      expect(lines.map(kind)).toEqual(expected.map(kind));
      for (const [n, line] of lines.entries()) expect(expected[n]).toMatchObject(line);
      expect(lines.map(outcome)).toEqual(expected.map(outcome));
    },
  );
});

function argsOf({ args = [] }: Scene): readonly string[] {
  return [...STREAM_JSON, "--permission-mode=default", ...args];
}

/** A server with one tool, which refuses everything but 1. */
function serve(request: Json): Json {
  const { message } = request as { message?: Json };
  if (message === undefined) return {};
  const answers: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "srv", version: "1" },
    },
    "tools/list": {
      tools: [
        { name: "add", inputSchema: { type: "object" }, _meta: { "anthropic/alwaysLoad": true } },
      ],
    },
    "tools/call": added(message["params"]),
  };
  const result = answers[String(message["method"])] ?? {};
  return { mcp_response: { jsonrpc: "2.0", id: message["id"] ?? 0, result } };
}

function added(params: unknown) {
  const { arguments: input } = (params ?? {}) as { arguments?: { a: number } };
  if (input?.a === 1) return { content: [textBlock("3")] };
  return { content: [textBlock("bad")], isError: true };
}

/** The fields of a result, of which the fake may leave out none. */
function outcome(line: Line): Line {
  const { result, structured_output, permission_denials, num_turns, errors, origin } = line;
  return { result, structured_output, permission_denials, num_turns, errors, origin };
}

/** Without the lines that the fake leaves out, and the values that differ from run to run. */
function comparable(lines: readonly Line[]): readonly Line[] {
  const left = ["requesting", "thinking_tokens", "notification"];
  return lines
    .filter((line) => !left.includes(String(line["status"] ?? line["subtype"])))
    .map((line) => JSON.parse(JSON.stringify(line, stable)) as Line)
    .map((line) => {
      if (line["subtype"] !== "init") return line;
      return {
        subtype: "init",
        mcp_servers: line["mcp_servers"],
        permissionMode: line["permissionMode"],
      };
    });
}

const VOLATILE = new Set([
  ...["usage", "modelUsage", "total_cost_usd", "duration_ms", "duration_api_ms", "model", "cwd"],
  ...["transcript_path", "clientInfo", "capabilities"],
]);

function stable(key: string, value: unknown): unknown {
  if (VOLATILE.has(key)) return undefined;
  if (typeof value !== "string") return value;
  const gateway = / your inference gateway \([^)]*\)| https:\/\/status\.claude\.com/;
  return value
    .replace(gateway, " there")
    .replace(/^[\da-f]{8}:/, "connection:")
    .replace(/(toolu|msg)_\w+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "id");
}
