import { randomUUID } from "node:crypto";
import { type ErrorFacts, HawserError } from "../base/index.js";
import { parseVersion, requireEssential } from "../options/index.js";
import { assistantLine, encodeLine, type JoinedMessage, userLine } from "../wire/index.js";
import type { SessionCore } from "./session-core.js";

/** What ends an append early. */
export interface Appending {
  /** Why the messages are no longer wanted. It is asked before each message. */
  readonly interruption: () => HawserError | undefined;
  readonly caller?: string | undefined;
}

/**
 * Adds messages to the conversation without a request to the model: a user message as a line that asks for
 * no answer, and an assistant message as the line by which the CLI itself replays one. The CLI takes an
 * assistant's line at once, but lets a user's line wait for its turn. So each user's line is waited for,
 * because the assistant's line behind it would overtake it.
 *
 * Throws `unsupported_by_cli` if the CLI is not known to take these lines: an older one would ask the model
 * about each of them, or end. An assistant message at the end has been sent, but perhaps not read.
 */
export async function appendMessages(
  core: SessionCore,
  session: object,
  messages: readonly JoinedMessage[],
  { interruption, caller }: Appending,
): Promise<void> {
  await core.connection.current.ready;
  requireHistory(core.connection.current.facts);
  const release = core.turns.hold();
  try {
    for (const { role, content } of messages) {
      const why = interruption();
      if (why !== undefined) throw why;
      if (role === "user") await appendPrompt(core, session, content, caller);
      else appendReply(core, content);
    }
  } finally {
    release();
  }
}

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

/** If the line cannot be written, the next line or request cannot be written either, and reports why. */
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
