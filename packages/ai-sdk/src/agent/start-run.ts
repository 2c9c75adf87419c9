import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { AnyCompleteOptions, Effort, JsonSchema, Options } from "hawser";
import { appendSystemPrompt } from "hawser/answer";
import type { CallWarnings } from "../call-warnings.js";
import { clientTools } from "../completion/client-tools.js";
import { ineffectiveSettings } from "../completion/ineffective-settings.js";
import { thinkingOf } from "../completion/thinking.js";
import { translatePrompt } from "../prompt/index.js";
import { callSettings, modelOptions } from "../settings.js";
import { fromStream, TurnHost } from "../turn/index.js";
import type { AgentContext } from "./agent-model.js";
import { AgentRun } from "./agent-run.js";
import { splitSettings } from "./agent-settings.js";
import { replayPrompt, toolCallIds } from "./replay-prompt.js";

/** Begins a turn with the conversation of a request. The earlier messages go to a new process as they are. */
export function startRun(
  options: LanguageModelV4CallOptions,
  { modelId, pools, defaults, settings, parked }: AgentContext,
  warnings: CallWarnings,
): AgentRun {
  const { options: agentOptions, parking } = splitSettings(settings);
  const ofCall = callSettings({}, options.providerOptions?.["hawser"]);
  const own: Options = { ...agentOptions, ...modelOptions(ofCall) };
  const hasTools = options.toolChoice?.type !== "none";
  warnOf(options, warnings);
  if ((ofCall.parallelToolCalls ?? defaults.parallelToolCalls) === false) {
    warnings.unsupported("parallelToolCalls", "The agent decides itself how many tools it calls.");
  }
  const tools = hasTools ? clientTools(options.tools ?? [], warnings) : [];
  const names = new Set(tools.map(({ name }) => name));
  const serverName = freeServerName(own.mcpServers);
  const prompt = replayPrompt(options.prompt, {
    shownName: (name) => (names.has(name) ? `mcp__${serverName}__${name}` : name),
    endOf: (toolCallId) => parked.endOf(toolCallId),
  });
  const { system, messages } = translatePrompt(prompt, warnings);
  const pool = pools.pool();
  const host = new TurnHost({ tools, serverName, asks: own.canUseTool === undefined });
  const controller = new AbortController();
  const schema = schemaOf(options.responseFormat);
  const base: AnyCompleteOptions = {
    ...modelOptions(defaults),
    // The minimal mode is for completions: the agent would have no hooks and no instructions of the project.
    bare: undefined,
    ...own,
    ...(hasTools ? {} : WITHOUT_TOOLS),
    preset: "agent",
    persistSession: own.persistSession ?? false,
    model: modelId,
    history: messages,
    signal: controller.signal,
    // A turn that waits for a person has no limit of its own.
    timeouts: { totalMs: Number.POSITIVE_INFINITY, ...defaults.timeouts, ...own.timeouts },
    ...(system === undefined ? {} : { systemPrompt: appendSystemPrompt(own.systemPrompt, system) }),
    ...thinking(options, own, warnings),
    ...(schema === undefined ? {} : { schema }),
  };
  const stream = pool.stream(undefined, host.extend(base));
  // The conversation goes on in another process, so that a call of it that waits must not run later.
  for (const toolCallId of toolCallIds(options.prompt)) parked.supersede(toolCallId);
  return new AgentRun({
    host,
    turn: host.follow(fromStream(stream, controller)),
    parked,
    limits: {
      parkedMs: parking.parkedMs,
      maxParked: parking.maxParked ?? Math.floor(pool.stats().calls.limit / 2),
    },
    maxResultChars: parking.maxResultChars,
    hasSchema: schema !== undefined,
  });
}

/** `toolChoice: "none"` also means the tools of the CLI. */
const WITHOUT_TOOLS: Options = { tools: [], mcpServers: {}, strictMcpConfig: true };

function warnOf(options: LanguageModelV4CallOptions, warnings: CallWarnings): void {
  ineffectiveSettings(options, warnings);
  const { stopSequences = [], toolChoice } = options;
  if (stopSequences.length > 0) {
    warnings.unsupported(
      "stopSequences",
      "The text of an agent is not cut, because its tools would be cut too.",
    );
  }
  if (toolChoice?.type === "required" || toolChoice?.type === "tool") {
    warnings.unsupported("toolChoice", "The agent decides itself which tools it calls.");
  }
  if (options.prompt.at(-1)?.role === "assistant") {
    const details =
      "The request brings no answer to the last message. The AI SDK leaves out a tool-approval-response without `providerExecuted: true`.";
    warnings.compatibility("last message of the assistant", details);
  }
}

/** A name for the server of the caller's tools that no other server has. */
function freeServerName(servers: Options["mcpServers"]): string {
  const taken = typeof servers === "object" ? servers : {};
  let name = "app";
  for (let number = 2; Object.hasOwn(taken, name); number += 1) name = `app${number}`;
  return name;
}

/** JSON without a schema is a value of any kind. */
function schemaOf(format: LanguageModelV4CallOptions["responseFormat"]): JsonSchema | undefined {
  if (format?.type !== "json") return undefined;
  return (format.schema ?? {}) as JsonSchema;
}

function thinking(
  { reasoning }: LanguageModelV4CallOptions,
  own: Options,
  warnings: CallWarnings,
): Pick<Options, "effort" | "thinking"> {
  const { effort, thinking } = thinkingOf(reasoning, own, warnings);
  return {
    ...(effort === undefined ? {} : { effort: effort as Effort }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}
