import { type ErrorFacts, HawserError, isHawserError, type Mask } from "../errors/index.js";
import type { Options } from "../options/index.js";
import {
  type AssistantMessage,
  isMessage,
  isSystem,
  type Message,
  type RateLimitInfo,
  type ResultMessage,
  type UserMessage,
} from "../wire/index.js";
import type { Completion, CredentialInfo, Stop, Timing } from "./completion.js";
import { credentialOf } from "./credential.js";
import { failureOf } from "./failure.js";

/** Folds the messages of one turn into its outcome. */
export class Turn {
  readonly literalPrompt: boolean;
  readonly #persistent: boolean;
  readonly #startedAt: number = performance.now();
  readonly #texts: string[] = [];
  readonly #runningTools = new Set<string>();
  #bootMs: number | undefined;
  #firstTokenMs: number | undefined;
  #sessionId: string | undefined;
  #model: string | undefined;
  #credential: CredentialInfo = { kind: "unknown", source: undefined };
  /** The CLI's name for an API failure that it dressed as an answer. */
  #apiError: string | undefined;
  #rateLimit: RateLimitInfo | undefined;
  #lastMessage: Message | undefined;

  constructor({ literalPrompt, persistSession }: Options) {
    this.literalPrompt = literalPrompt ?? false;
    this.#persistent = persistSession ?? true;
  }

  /** Whether the model has been heard; what the CLI says of itself before is no message of a turn. */
  get hasAnswered(): boolean {
    return this.#firstTokenMs !== undefined;
  }

  /** While one runs, silence means nothing. */
  get awaitsTool(): boolean {
    return this.#runningTools.size > 0;
  }

  booted(answer: unknown): void {
    this.#bootMs = this.#elapsed();
    this.#credential = credentialOf(answer);
  }

  add(message: Message): void {
    this.#lastMessage = message;
    if ("session_id" in message && typeof message.session_id === "string") {
      this.#sessionId = message.session_id || this.#sessionId;
    }
    if (isSystem(message, "init")) this.#model = message.model;
    if (isMessage(message, "stream_event")) this.#firstTokenMs ??= this.#elapsed();
    if (isMessage(message, "rate_limit_event")) this.#rateLimit = message.rate_limit_info;
    if (isMessage(message, "assistant")) this.#addAnswer(message);
    if (isMessage(message, "user")) this.#addToolResults(message);
  }

  /** The outcome that a result stands for: a completion, or the error it reports. */
  completion(result: ResultMessage, mask?: Mask): Completion {
    const stop = stopOf(result);
    if (stop === undefined)
      throw failureOf(result, { apiError: this.#apiError, rateLimit: this.#rateLimit }, mask);
    return {
      text: typeof result.result === "string" ? result.result : this.#texts.join(""),
      value: undefined,
      model: this.#model,
      sessionId: result.session_id,
      stop,
      turns: result.num_turns,
      resumes: 0,
      usage: result.usage,
      costUsd: result.total_cost_usd,
      permissionDenials: result.permission_denials ?? [],
      credential: this.#credential,
      timing: this.#timing(result),
      result,
    };
  }

  /** Any failure of the call, with what the turn had come to and what is known of the line. */
  failure(error: unknown, line: ErrorFacts, mask?: Mask): HawserError {
    const known = isHawserError(error) ? error : unexpected(error);
    const partialText = this.#texts.join("");
    return known.with(
      {
        ...line,
        ...(partialText === "" ? {} : { partialText }),
        ...(this.#lastMessage === undefined || known.result !== undefined
          ? {}
          : { lastMessage: this.#lastMessage }),
        ...(this.#sessionId === undefined
          ? {}
          : { sessionId: this.#sessionId, resumable: this.#persistent }),
      },
      mask,
    );
  }

  #addAnswer(message: AssistantMessage): void {
    this.#firstTokenMs ??= this.#elapsed();
    if (message.error !== undefined) {
      this.#apiError = message.error;
      return;
    }
    for (const block of message.message.content) {
      if (block.type === "tool_use" && typeof block.id === "string")
        this.#runningTools.add(block.id);
      // A sub-agent's words are part of its tool's work, not of the answer.
      const own = message.parent_tool_use_id === null;
      if (own && block.type === "text" && typeof block.text === "string")
        this.#texts.push(block.text);
    }
  }

  #addToolResults({ message: { content } }: UserMessage): void {
    for (const block of typeof content === "string" ? [] : content) {
      if (block.type === "tool_result") this.#runningTools.delete(String(block.tool_use_id));
    }
  }

  #timing(result: ResultMessage): Timing {
    return {
      queuedMs: undefined,
      bootMs: this.#bootMs,
      firstTokenMs: this.#firstTokenMs,
      apiMs: result.duration_api_ms,
      totalMs: this.#elapsed(),
    };
  }

  #elapsed(): number {
    return performance.now() - this.#startedAt;
  }
}

/** `is_error` wins over `subtype`: an API failure calls itself a success. */
function stopOf({ subtype, is_error, terminal_reason }: ResultMessage): Stop | undefined {
  if (subtype === "error_max_turns") return "max_turns";
  if (subtype === "error_max_budget_usd") return "max_budget";
  if (is_error || subtype !== "success") return undefined;
  return terminal_reason === "hook_stopped" ? "hook_stopped" : "completed";
}

function unexpected(cause: unknown): HawserError {
  return new HawserError("protocol_error", `Unexpected: ${String(cause)}`, { cause });
}
