import type { Completion } from "../../complete/index.js";

/** The facts about an answer. */
export interface MessageMetadata {
  readonly providerUsed: string;
  /** Tokens of all kinds, also tokens read from a cache. `undefined` if the CLI reported none. */
  readonly tokensUsed: number | undefined;
  readonly processingTimeMs: number;
  readonly model: string | undefined;
  readonly sessionId: string | undefined;
  readonly costUsd: number | undefined;
  /** The rounds of all runs. A round is one request to the model. */
  readonly turns: number | undefined;
  /** How often the call was resumed automatically after `maxTurns`. */
  readonly resumes: number;
  /**
   * The text of each run, the last included. The text of a run that stopped at `maxTurns` is all text of
   * the model in it.
   */
  readonly texts: readonly string[];
}

/** The answer to a context. */
export interface OutgoingMessage {
  /**
   * The answer of the last run. If the call stopped at a limit of rounds or budget, the text of all
   * runs.
   */
  readonly text: string;
  readonly metadata: MessageMetadata;
  /** Where the message is to go. The provider leaves it undefined; the caller sets it. */
  replyTarget?: string | undefined;
}

export function messageOf(completion: Completion<unknown>, providerUsed: string): OutgoingMessage {
  return {
    text: answerTextOf(completion),
    metadata: {
      providerUsed,
      tokensUsed: tokensOf(completion),
      processingTimeMs: Math.round(completion.timing.totalMs),
      model: completion.model,
      sessionId: completion.sessionId,
      costUsd: completion.costUsd,
      turns: completion.turns,
      resumes: completion.resumes,
      texts: completion.texts,
    },
    replyTarget: undefined,
  };
}

/** The output of a program that prints no JSON, as a message without further metadata. */
export function rawMessage(
  text: string,
  processingTimeMs: number,
  providerUsed: string,
): OutgoingMessage {
  const unknown = {
    tokensUsed: undefined,
    model: undefined,
    sessionId: undefined,
    costUsd: undefined,
    turns: undefined,
  };
  const known = { providerUsed, processingTimeMs: Math.round(processingTimeMs), resumes: 0 };
  const metadata = { ...known, ...unknown, texts: [text] };
  return { text, metadata, replyTarget: undefined };
}

/**
 * | text | is_error | here |
 * |---|---|---|
 * | yes | no | the text |
 * | yes | yes | the text so far at a limit of turns or budget; else an error is thrown before this |
 * | no | yes | `Error from Claude: <subtype>` at such a limit; else an error is thrown before this |
 * | no | no | `(No response text returned)` |
 *
 * In the documents the words of an API failure are the answer. Here they are thrown as an error.
 */
function answerTextOf({ text, result }: Completion<unknown>): string {
  if (text.trim() !== "") return text;
  return result.is_error || result.subtype !== "success"
    ? `Error from Claude: ${result.subtype}`
    : "(No response text returned)";
}

function tokensOf({ usage, modelUsage }: Completion<unknown>): number | undefined {
  const { input_tokens, output_tokens } = usage;
  const { cache_creation_input_tokens: created, cache_read_input_tokens: read } = usage;
  const tokens = input_tokens + output_tokens + (created ?? 0) + (read ?? 0);
  return tokens === 0 && modelUsage === undefined ? undefined : tokens;
}
