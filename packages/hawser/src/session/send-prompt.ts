import { randomUUID } from "node:crypto";
import { HawserError } from "../base/index.js";
import { encodeLine, type Prompt, userLine } from "../wire/index.js";
import { requireKeptClear } from "./connection/require-kept-clear.js";
import type { SessionCore } from "./session-core.js";
import type { Turn } from "./turns/turn.js";

/** The options of one prompt, for `Session.send()`. */
export interface SendOptions {
  /**
   * The id of the prompt, which `rewindFiles()` takes.
   *
   * @default a random uuid
   */
  readonly uuid?: string | undefined;
  /**
   * False adds the prompt to the conversation without a request to the model.
   *
   * @default true
   */
  readonly shouldQuery?: boolean | undefined;
  /**
   * True lets the CLI act on the text: a leading `/` runs a command or a skill, and `@path` reads a
   * file. `rules`, hooks and `canUseTool` see neither. Use it only for text that a person typed for the
   * CLI.
   *
   * @default false, or true in a session with `literalPrompt: false`
   */
  readonly commands?: boolean | undefined;
  /** Interrupts the turn, or withdraws its prompt if the CLI has not begun with it. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends a prompt that was validated. `session` is not garbage-collected while a reader of the turn waits. */
export function sendPrompt(
  { options, turns, connection }: SessionCore,
  session: object,
  prompt: Prompt,
  { uuid = randomUUID(), shouldQuery, commands, signal }: SendOptions,
  caller?: string,
): Turn {
  if (turns.has(uuid)) {
    throw new HawserError("invalid_options", `The prompt ${uuid} has been sent already.`);
  }
  const literal = !(commands ?? options.literalPrompt === false);
  const message = {
    ...userLine(prompt, { uuid, literal, shouldQuery }),
    ...(literal && options.verbatimPrompts === true ? { client_composed: true } : {}),
  };
  requireKeptClear(message, connection.current);
  // Encoded before anything is sent: a prompt that cannot be written would never arrive.
  const encoded = encodeLine(message);
  return turns.send({ uuid, message, encoded, caller }, session, signal);
}
