import type {
  AnyCompleteOptions,
  Approvals,
  CompletionStream,
  HistoryMessage,
  Options,
} from "hawser";
import {
  type AnswerEvent,
  appendSystemPrompt,
  MessageReader,
  type ModelRequest,
  type StopReason,
} from "hawser/answer";
import { RequestError } from "../errors/request-error.js";
import { agentCliOptions } from "./agent-cli-options.js";
import type { AgentDefinition } from "./agent-definition.js";
import { agentOptionsOf } from "./agent-options-of.js";

export interface AgentFacts {
  readonly request: ModelRequest;
  readonly definition: AgentDefinition;
  readonly approvals: Approvals;
  readonly tenant: string;
  readonly options: Options;
  readonly signal: AbortSignal;
}

/** The options of a call that the CLI answers as an agent, with its own tools. */
export function agentOptions(facts: AgentFacts): AnyCompleteOptions {
  const { request, approvals, tenant, options, signal } = facts;
  const definition = agentCliOptions(facts.definition);
  refuseForAgent(request);
  const { canUseTool, onElicitation } = approvals;
  const { system, effort, thinking } = request;
  return {
    preset: "agent",
    persistSession: false,
    canUseTool,
    onElicitation,
    ...agentOptionsOf(options, definition),
    ...(system === undefined
      ? {}
      : { systemPrompt: appendSystemPrompt(definition.systemPrompt, system) }),
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
    tenant,
    signal,
    includePartialMessages: true,
    history: withoutThinking(request.messages),
  };
}

export function agentReader({ thinking }: ModelRequest): MessageReader {
  const showsThinking = thinking !== undefined && thinking.type !== "disabled";
  return new MessageReader({
    shows: ({ type }) => type === "text" || (showsThinking && type === "thinking"),
    isHeld: false,
  });
}

/**
 * All messages of the agent as one answer. Its own tool calls are not shown. `onMessage` is called for each message
 * of the CLI.
 */
export async function* answerAgent(
  call: CompletionStream<unknown>,
  reader: MessageReader,
  onMessage: () => void,
): AsyncGenerator<AnswerEvent, undefined> {
  for await (const message of call) {
    onMessage();
    yield* reader.read(message);
  }
  const completion = await call.completion;
  const { usage, costUsd, stop } = completion;
  const stopReason: StopReason =
    stop === "max_turns" || stop === "max_budget" ? "pause_turn" : "end_turn";
  yield { type: "end", end: { stopReason, stopSequence: undefined, usage, costUsd, completion } };
}

/** Refuses what an agent of the server cannot take from a client. */
export function refuseForAgent({ tools, schema, wantsJson, stopSequences }: ModelRequest): void {
  const refuse = (param: string, what: string) => {
    const message = `${param}: an agent of the server does not take ${what}. Use a model in place of the agent.`;
    throw new RequestError("invalid_request", message, { param });
  };
  if (tools.length > 0) refuse("tools", "tools of the client, because it has its own");
  if (schema !== undefined) refuse("schema", "a JSON schema");
  if (wantsJson) refuse("response_format", "a format of the answer");
  if (stopSequences.length > 0) refuse("stop_sequences", "stop sequences");
}

/** The tool calls between the thoughts are not part of the history, so the API would refuse the thoughts. */
export function withoutThinking(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  return messages.map((message) => {
    if (message.role === "user" || typeof message.content === "string") return message;
    const isThinking = (type: string) => type === "thinking" || type === "redacted_thinking";
    return { ...message, content: message.content.filter(({ type }) => !isThinking(type)) };
  });
}
