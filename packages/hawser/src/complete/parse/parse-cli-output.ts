import { HawserError, isHawserError } from "../../base/index.js";
import { failureOf, type Stop, stopOf } from "../../session/index.js";
import type { Message, ResultMessage } from "../../wire/index.js";
import { findLastTurn } from "./last-turn.js";
import { readCliMessages } from "./read-cli-messages.js";
import { notStringError } from "./refuse-non-string.js";

/** What a run of the CLI printed. Either `stop` or `error` says how it ended. */
export type CliOutput = CliOutputFacts & (CliAnswer | CliFailure);

export interface CliOutputFacts {
  /** How it was printed: as the one result, as an array of messages, or as a message on each line. */
  readonly form: "object" | "array" | "lines";
  readonly messages: readonly Message[];
  /** Lines that hold no message: what a wrapper or a library printed. */
  readonly noise: readonly string[];
  /** The last one, as it came; a field that the CLI did not print is not there. */
  readonly result: ResultMessage;
  /**
   * The answer as the result has it: of one that the CLI had continued at the limit of output tokens,
   * that is the last part only. After a failure or a limit of turns or budget, what the model had
   * said, as far as it was printed.
   */
  readonly text: string;
  readonly model: string | undefined;
  readonly sessionId: string | undefined;
  /** As the CLI counts it: of a resumed session, a newer one counts all of it and not only this run. */
  readonly costUsd: number | undefined;
}

export interface CliAnswer {
  readonly stop: Stop;
  readonly error: undefined;
}

export interface CliFailure {
  readonly stop: undefined;
  /** The error that `complete()` would have thrown for this result. */
  readonly error: HawserError;
}

/**
 * Reads what `claude -p --output-format json` or `stream-json` printed, for those who run the CLI
 * themselves. A text without a result is no answer: it throws `protocol_error`, with the text.
 * Read the output before the exit code: a failed run, too, says on stdout why.
 *
 * @example
 * ```ts
 * const { text, error } = parseCliOutput(stdout);
 * if (error) throw error;
 * ```
 */
export function parseCliOutput(text: string): CliOutput {
  if (typeof text !== "string") throw notStringError("parseCliOutput()");
  try {
    return read(text);
  } catch (error) {
    if (isHawserError(error)) throw error;
    // Fields of another kind than the CLI's, or nested without end.
    throw unreadable(text, "The output of the CLI cannot be read", error);
  }
}

function read(text: string): CliOutput {
  const { form, messages, noise, cutOff } = readCliMessages(text);
  const turn = findLastTurn(messages);
  if (turn === undefined || cutOff) throw unreadable(text, noResult(text, cutOff));
  const { result, said, model, ...around } = turn;
  const stop = stopOf(result);
  const told = typeof result.result === "string" ? result.result : undefined;
  const answered = told !== undefined || said !== "" || result.structured_output !== undefined;
  if (stop === "completed" && !answered) {
    throw unreadable(text, "The result of the CLI is a success without an answer");
  }
  // The result of a failure holds the CLI's words, not the model's.
  const answer = stop === undefined ? said : (told ?? said);
  const sessionId = typeof result.session_id === "string" ? result.session_id : undefined;
  const costUsd = typeof result.total_cost_usd === "number" ? result.total_cost_usd : undefined;
  const facts = { form, messages, noise, result, text: answer, model, sessionId, costUsd };
  if (stop !== undefined) return { ...facts, stop, error: undefined };
  const error = failureOf(result, around).with({
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(said === "" ? {} : { partialText: said }),
  });
  return { ...facts, stop, error };
}

function noResult(text: string, cutOff: boolean): string {
  if (text.trim() === "") return "The CLI printed nothing";
  return cutOff
    ? "The output of the CLI ends in the middle of a message"
    : "There is no result in the output of the CLI";
}

function unreadable(text: string, what: string, cause?: unknown): HawserError {
  return new HawserError("protocol_error", `${what}.`, {
    hint: "Pass the whole stdout of `claude -p --output-format json` or `stream-json`; if it is empty, stderr tells why.",
    ...(text === "" ? {} : { partialText: text.slice(0, LONGEST_EXCERPT) }),
    ...(cause === undefined ? {} : { cause }),
  });
}

const LONGEST_EXCERPT = 65_536;
