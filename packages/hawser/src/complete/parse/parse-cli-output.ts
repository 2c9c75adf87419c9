import { HawserError, isHawserError } from "../../base/index.js";
import { failureOf, type Stop, stopOf } from "../../session/index.js";
import type { Message, ResultMessage } from "../../wire/index.js";
import { findLastTurn } from "./last-turn.js";
import { readCliMessages } from "./read-cli-messages.js";
import { refuseNonString } from "./refuse-non-string.js";

/** The parsed output of a CLI run. Either `stop` or `error` says how the run ended. */
export type CliOutput = CliOutputFacts & (CliAnswer | CliFailure);

/** The facts of a CLI run, whether it was answered or failed. */
export interface CliOutputFacts {
  /** The form of the output: one result, an array of messages, or one message on each line. */
  readonly form: "object" | "array" | "lines";
  readonly messages: readonly Message[];
  /** Lines that are not messages, for example the output of a wrapper or a library. */
  readonly noise: readonly string[];
  /** The last result, unchanged. A field that the CLI did not print is absent. */
  readonly result: ResultMessage;
  /**
   * The answer in the result. If the CLI continued an answer at the limit of output tokens, this is only
   * the last part. After a failure, or at a limit of turns or budget, this is the text of the model as far
   * as it was printed.
   */
  readonly text: string;
  readonly model: string | undefined;
  readonly sessionId: string | undefined;
  /** The cost as the CLI counts it. For a resumed session, newer CLIs count the whole session. */
  readonly costUsd: number | undefined;
}

/** The end of a run that was answered, or stopped at a limit. */
export interface CliAnswer {
  readonly stop: Stop;
  readonly error: undefined;
}

/** The end of a run that failed. */
export interface CliFailure {
  readonly stop: undefined;
  /** The error that `complete()` would have thrown for this result. */
  readonly error: HawserError;
}

/**
 * Parses the output of `claude -p --output-format json` or `stream-json`, for programs that run the CLI
 * themselves. Throws `protocol_error` with the text if there is no result in it. Parse the output before you
 * look at the exit code, because a failed run also prints its reason on stdout.
 *
 * @example
 * ```ts
 * const { text, error } = parseCliOutput(stdout);
 * if (error) throw error;
 * ```
 */
export function parseCliOutput(text: string): CliOutput {
  refuseNonString("parseCliOutput()", text);
  try {
    return parse(text);
  } catch (error) {
    if (isHawserError(error)) throw error;
    // Fields of unexpected types, or nested too deeply.
    throw unreadable(text, "The output of the CLI cannot be read", error);
  }
}

function parse(text: string): CliOutput {
  const { form, messages, noise, cutOff } = readCliMessages(text);
  const turn = findLastTurn(messages);
  if (turn === undefined || cutOff) throw unreadable(text, noResult(text, cutOff));
  const { result, said, model, ...circumstances } = turn;
  const stop = stopOf(result);
  const told = typeof result.result === "string" ? result.result : undefined;
  const answered = told !== undefined || said !== "" || result.structured_output !== undefined;
  if (stop === "completed" && !answered) {
    throw unreadable(text, "The result of the CLI is a success without an answer");
  }
  // The result of a failure has the text of the CLI, not the text of the model.
  const answer = stop === undefined ? said : (told ?? said);
  const sessionId = typeof result.session_id === "string" ? result.session_id : undefined;
  const costUsd = typeof result.total_cost_usd === "number" ? result.total_cost_usd : undefined;
  const facts = { form, messages, noise, result, text: answer, model, sessionId, costUsd };
  if (stop !== undefined) return { ...facts, stop, error: undefined };
  const error = failureOf(result, circumstances).withMissing({
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
    hint: "Pass the whole stdout of `claude -p --output-format json` or `stream-json`; if it is empty, stderr says why.",
    ...(text === "" ? {} : { partialText: text.slice(0, MAX_EXCERPT_LENGTH) }),
    ...(cause === undefined ? {} : { cause }),
  });
}

const MAX_EXCERPT_LENGTH = 65_536;
