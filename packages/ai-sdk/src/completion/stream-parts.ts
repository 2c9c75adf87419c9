import type { LanguageModelV4StreamPart, SharedV4Warning } from "@ai-sdk/provider";
import { isHawserError, type Message } from "hawser";
import type { RunningAnswer } from "hawser/answer";
import { AnswerParts } from "./answer-parts.js";

export interface StreamPartsOptions {
  readonly warnings: SharedV4Warning[];
  /** The messages of the CLI that came since the last part, if the caller asked for them. */
  readonly raw: Message[];
  /** The signal of the caller. After an abort the stream fails with its reason. */
  readonly signal: AbortSignal | undefined;
  /** The error for the AI SDK. */
  readonly failed: (error: unknown) => unknown;
  /** Called once, when the stream is over. */
  readonly ended: () => void;
}

/**
 * The parts of a streamed answer. Throws if the answer fails before it begins, or because of an abort. A failure
 * after the beginning is an `error` part, followed by `finish`.
 */
export async function* streamParts(
  { events, reader }: RunningAnswer,
  { warnings, raw, signal, failed, ended }: StreamPartsOptions,
): AsyncGenerator<LanguageModelV4StreamPart, undefined> {
  const parts = new AnswerParts(reader);
  let isBegun = false;
  try {
    let next = await events.next();
    isBegun = true;
    yield { type: "stream-start", warnings };
    for (; next.done !== true; next = await events.next()) {
      for (const message of raw.splice(0)) yield { type: "raw", rawValue: message };
      yield* parts.of(next.value);
    }
  } catch (error) {
    if (!isBegun || signal?.aborted === true) throw failed(error);
    yield* parts.failure(failed(error), isHawserError(error) ? error.code : undefined);
  } finally {
    await events.return(undefined);
    ended();
  }
}
