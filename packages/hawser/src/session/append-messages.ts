import { randomUUID } from "node:crypto";
import { type ErrorFacts, HawserError } from "../base/index.js";
import { parseVersion, requireEssential } from "../options/index.js";
import { assistantLine, encodeLine, type JoinedMessage, userLine } from "../wire/index.js";
import type { CliConnection } from "./connection/cli-connection.js";
import { roundTrip } from "./round-trip.js";
import type { SessionCore } from "./session-core.js";

/** What ends an append early. */
export interface Appending {
  /** Why the messages are no longer wanted. It is asked before each message. */
  readonly interruption: () => HawserError | undefined;
  readonly caller?: string | undefined;
  /** Whether to wait until the CLI has read the last message. A prompt that follows makes this needless. */
  readonly isConfirmed?: boolean;
}

/**
 * Adds messages to the conversation without a request to the model: a user message as a line that asks for
 * no answer, and an assistant message as the line by which the CLI itself replays one. The CLI takes an
 * assistant's line at once, but lets a user's line wait for its turn. So each user's line is waited for,
 * because the assistant's line behind it would overtake it.
 *
 * Throws `unsupported_by_cli` if the CLI is not known to take these lines: an older one would ask the model
 * about each of them, or end.
 */
export async function appendMessages(
  core: SessionCore,
  session: object,
  messages: readonly JoinedMessage[],
  { interruption, caller, isConfirmed = false }: Appending,
): Promise<void> {
  // Held before anything is awaited, so that no prompt comes between the messages.
  const release = core.turns.hold();
  try {
    core.connection.reconnect();
    const process = core.connection.current;
    await process.ready;
    requireHistory(process.facts);
    for (const { role, content } of messages) {
      const why = interruption() ?? whyLost(core, process);
      if (why !== undefined) throw why;
      if (role === "user") await appendPrompt(core, session, content, caller);
      else appendReply(core, content);
    }
    if (isConfirmed && messages.at(-1)?.role === "assistant") await roundTrip(core);
    const lost = whyLost(core, process);
    if (lost !== undefined) throw lost;
  } finally {
    release();
  }
}

/** Adds messages when nothing is left to do. */
export async function appendWhenIdle(
  core: SessionCore,
  session: object,
  messages: readonly JoinedMessage[],
): Promise<void> {
  do {
    const refusal = core.refusal();
    if (refusal !== undefined) throw refusal;
    await core.idle(session);
    // Another caller that waited for the same moment may have sent a prompt.
  } while (core.turns.size > 0);
  await appendMessages(core, session, messages, {
    interruption: () => core.refusal(),
    isConfirmed: true,
  });
}

/** A recovered session has another process, of which it is not known which messages it has. */
function whyLost({ connection }: SessionCore, process: CliConnection): HawserError | undefined {
  if (!connection.isDown && connection.current === process) return undefined;
  return connection.enrich(new HawserError("process_exited", LOST));
}

const LOST = "The process ended while messages were added to the conversation.";

/** Checked here too, because a process of a pool is not started for a history. */
function requireHistory({ cliPath = "", cliVersion = "" }: ErrorFacts): void {
  requireEssential("history", { path: cliPath, version: parseVersion(cliVersion) });
}

async function appendPrompt(
  core: SessionCore,
  session: object,
  content: JoinedMessage["content"],
  caller: string | undefined,
): Promise<void> {
  const uuid = randomUUID();
  const message = userLine(content, { uuid, literal: true, shouldQuery: false });
  const line = { uuid, message, encoded: encodeLine(message), caller, isHistory: true };
  const turn = core.turns.send(line, session);
  turn.keepsMessages = false;
  const result = await turn.result;
  const failure = core.failureOf(result, turn.record);
  if (failure !== undefined) throw failure;
  if (result.num_turns > 0) throw core.connection.enrich(new HawserError("protocol_error", ASKED));
}

const ASKED = "The CLI asked the model about an earlier message of the conversation.";

/** A line that cannot be written is noticed by `whyLost()`, or by the next line or request. */
function appendReply(
  { connection, options }: SessionCore,
  content: JoinedMessage["content"],
): void {
  const model = baseModel(connection.model ?? options.model ?? "");
  connection.sendPrompt(assistantLine(content, { uuid: randomUUID(), model })).catch(() => {});
}

/**
 * The name of a model as requests to the API have it: the CLI marks a large context with `[1m]` behind the
 * name, and drops thinking from lines whose model has another name than the request.
 */
function baseModel(model: string): string {
  return model.replace(/\[[^\]]*\]$/, "");
}
