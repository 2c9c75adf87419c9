import { guardLogger, HawserError, hostMask, omitUndefined } from "../../base/index.js";
import {
  type CompleteOptions,
  type Completion,
  complete,
  stripFence,
} from "../../complete/index.js";
import { OPTION_TABLE, refuseOptions, validateOptions } from "../../options/index.js";
import {
  type AllowedKeys,
  sameName,
  throwFirstProblem,
  unknownKeyProblems,
} from "../check-input.js";
import { CLAUDE_CLI_MODEL_ALIASES, resolveModel } from "./model-aliases.js";

/** The options of one call. */
export interface CompletionConfig {
  /**
   * The largest number of tokens of the answer. An answer that needs more is a `max_output_tokens`
   * error. The CLI counts thinking tokens too, and would spend most of the limit on them, so thinking is
   * off with this option, unless `options.thinking` is set. The limit is passed in the environment of
   * the call's process.
   */
  readonly maxTokens?: number | undefined;
  /** Ignored, because the CLI cannot set it. The logger gets one warning. */
  readonly temperature?: number | undefined;
  /** Ends the call, and its process. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The contract of MAGI's providers, for a program that also has other providers, or its own provider in
 * tests. `ClaudeCliProvider` implements it.
 */
export interface MagiProvider {
  readonly name: string;
  /** The id of the model. */
  readonly model: string;
  /** The text of the answer to two prompts. */
  complete(system: string, user: string, config?: CompletionConfig): Promise<string>;
}

/** The options of `complete()`, except the options that the provider sets itself. */
export type ClaudeCliProviderOptions = Omit<CompleteOptions, (typeof SET_BY_PROVIDER)[number]>;

const SET_BY_PROVIDER = ["model", "systemPrompt", "signal", "abortController"] as const;

/**
 * MAGI's provider of the same name: it takes two prompts and returns the text of the answer.
 *
 * - The constructor throws `nested_session` inside a session of the CLI (CLAUDECODE is set, even to the empty
 *   string), unless `nested` says otherwise. It throws `auth` for a model that it does not know.
 * - Prompts are passed neither on a command line nor through a shell. They are text: the CLI runs no slash
 *   commands and reads no files by `@path`.
 * - The call is lean, whereas the original left the CLI's tools and the user's settings on. The model gets the
 *   two prompts, no tools, and a few lines of the CLI (the date, the working directory, the platform). Options
 *   switch features on by name.
 * - The start of the CLI has a time limit, because a CLI that is silent for a minute before its first prompt
 *   will not answer. There is no other time limit: the caller ends the call by `signal`, or sets `timeouts`.
 * - A call that fails or is aborted rejects after its process and all children have ended. A call that is
 *   answered ends them right afterwards. The original left grandchildren running. On Windows the tree is ended
 *   by `taskkill /T`. This is not tested, and a grandchild whose parent has already ended may survive.
 *
 * @example
 * ```ts
 * import { ClaudeCliProvider } from "hawser/providers";
 *
 * const reviewer = new ClaudeCliProvider("sonnet");
 * const verdict = await reviewer.complete("You review code.", diff, { signal: AbortSignal.timeout(300_000) });
 * ```
 */
export class ClaudeCliProvider implements MagiProvider {
  readonly name: "claude-cli" = "claude-cli";
  /** The id of the model that was named. */
  readonly model: string;
  readonly #options: ClaudeCliProviderOptions;
  #hasWarned = false;

  constructor(model: string, options: ClaudeCliProviderOptions = {}) {
    validateOptions(options);
    refuseOptions("ClaudeCliProvider", options, [...SET_BY_PROVIDER, "schema", "outputFormat"]);
    const { modelAliases = CLAUDE_CLI_MODEL_ALIASES, ...rest } = options;
    if (isNested(options)) throw new HawserError("nested_session");
    this.model = resolveModel(model, modelAliases);
    this.#options = rest;
  }

  /**
   * The text of the answer, without the code fence if one is around all of it. Every failure is a
   * `HawserError`; `toMagiError()` converts it to an error of the contract.
   */
  async complete(system: string, user: string, config: CompletionConfig = {}): Promise<string> {
    const { maxTokens, temperature, signal, ...others } = config ?? {};
    throwFirstProblem(unknownKeyProblems(others, CALL_KEYS));
    if (temperature !== undefined) this.#warnOfTemperature();
    const completion = await complete(user, {
      ...this.#options,
      ...outputLimitOptions(maxTokens, this.#options),
      model: this.model,
      systemPrompt: system,
      // The constructor has checked it.
      nested: this.#options.nested ?? "strip",
      timeouts: { ...NO_LIMITS, ...omitUndefined(this.#options.timeouts ?? {}) },
      ...(signal === undefined ? {} : { signal }),
    });
    const resumable = keepsSessions(this.#options);
    throwIfUnfinished(completion, resumable);
    if (maxTokens !== undefined && !mayUseTools(this.#options)) {
      throwIfTooLong(completion, maxTokens, resumable);
    }
    return stripFence(completion.text);
  }

  #warnOfTemperature(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const logger = guardLogger(this.#options.logger, hostMask());
    logger.warn("The CLI has no way to set a temperature, so that of the call is ignored.");
  }
}

const CALL_KEYS: AllowedKeys = {
  what: "known to a call of the provider",
  names: ["maxTokens", "temperature", "signal"] satisfies (keyof CompletionConfig)[],
  hintFor(plain) {
    const option = sameName(plain, Object.keys(OPTION_TABLE));
    return option && `Give \`${option}\` to the constructor: it holds for all calls.`;
  },
};

const NO_LIMITS = {
  firstMessageMs: Number.POSITIVE_INFINITY,
  idleMs: Number.POSITIVE_INFINITY,
  totalMs: Number.POSITIVE_INFINITY,
};

/** CLAUDECODE counts if it is set, even to the empty string. `undefined` in `env` removes it. */
function isNested({ nested = "error", env = {} }: ClaudeCliProviderOptions): boolean {
  if (nested !== "error") return false;
  const value = Object.hasOwn(env, "CLAUDECODE") ? env["CLAUDECODE"] : process.env["CLAUDECODE"];
  return value !== undefined;
}

function outputLimitOptions(
  maxTokens: number | undefined,
  { env, thinking, maxThinkingTokens }: ClaudeCliProviderOptions,
): CompleteOptions {
  if (maxTokens === undefined) return {};
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
    const message = "must be an integer of at least 1";
    throw new HawserError("invalid_options", `maxTokens ${message}.`, {
      hint: "Correct `maxTokens`.",
      issues: [{ path: "maxTokens", message }],
    });
  }
  const silent = thinking === undefined && maxThinkingTokens === undefined;
  return {
    env: { ...env, CLAUDE_CODE_MAX_OUTPUT_TOKENS: `${maxTokens}` },
    ...(silent ? { thinking: { type: "disabled" } } : {}),
  };
}

/** With tools, a call makes several requests, and the limit holds for each of them. */
function mayUseTools({ tools, mcpServers, preset }: ClaudeCliProviderOptions): boolean {
  const hasTools = tools !== undefined && !(Array.isArray(tools) && tools.length === 0);
  return hasTools || mcpServers !== undefined || preset === "agent";
}

function keepsSessions({ persistSession, preset, autoResume }: ClaudeCliProviderOptions): boolean {
  return persistSession ?? (preset === "agent" || (autoResume ?? 0) !== 0);
}

/** Half an answer must not look whole. A turn that a hook stopped is not an error: the user wants it. */
function throwIfUnfinished(completion: Completion, resumable: boolean): void {
  const { stop, text, sessionId, result } = completion;
  if (stop !== "max_turns" && stop !== "max_budget") return;
  const what = stop === "max_turns" ? "limit of rounds (maxTurns)" : "budget";
  throw new HawserError(stop, `The ${what} was reached before the answer was complete.`, {
    partialText: text,
    sessionId,
    resumable,
    result,
  });
}

/** At the limit the CLI lets the model continue up to three times, so an answer may be longer. */
function throwIfTooLong(completion: Completion, maxTokens: number, resumable: boolean): void {
  const { result, sessionId, text: partialText } = completion;
  const tokens = result.usage?.output_tokens;
  if (!(tokens > maxTokens)) return;
  throw new HawserError(
    "max_output_tokens",
    `The answer has ${tokens} tokens, and \`maxTokens\` is ${maxTokens}.`,
    {
      hint: "Ask for a shorter answer, or raise `maxTokens`.",
      partialText,
      sessionId,
      resumable,
      result,
    },
  );
}
