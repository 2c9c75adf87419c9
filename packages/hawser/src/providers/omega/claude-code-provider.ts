import { guardLogger, hostMask, type Logger, omitUndefined } from "../../base/index.js";
import { complete } from "../../complete/index.js";
import type { Options } from "../../options/index.js";
import { type CheckOptions, checkCli } from "../../process/index.js";
import {
  type ClaudeCodeConfig,
  checkTimeoutSecs,
  optionsFromConfig,
} from "./claude-code-config.js";
import {
  type ClaudeCodeProviderOptions,
  type ClaudeCodeSettings,
  resolveSettings,
} from "./claude-code-options.js";
import { type Context, contextToPrompt, validateContext } from "./context.js";
import { messageOf, type OutgoingMessage, rawMessage } from "./outgoing-message.js";
import { RawOutput } from "./raw-output.js";
import { serverOptions, toolOptions } from "./tool-options.js";

/**
 * The contract of Omega's providers, for a program that also has other providers, or its own provider in
 * tests. `ClaudeCodeProvider` implements it.
 */
export interface OmegaProvider {
  readonly name: string;
  readonly requiresApiKey: boolean;
  /** The answer to a context; `signal` ends the call. */
  complete(
    context: Context,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<OutgoingMessage>;
  /** Whether the CLI is installed and can be run. */
  isAvailable(): Promise<boolean>;
}

/**
 * Omega's provider: it takes a context and returns a message, with the CLI as an agent. It runs with the CLI's
 * own prompt, login, settings and memory files, as the original did. `settingSources` restricts them; the
 * settings and agents of the project need `trustProject: true`. The CLI repeats a failed request to the API
 * once, whereas it retried for minutes in the original; `retry` changes that. The provider keeps no state
 * between calls, so it can serve any number of calls at once.
 *
 * @example
 * ```ts
 * import { ClaudeCodeProvider } from "hawser/providers";
 *
 * const provider = new ClaudeCodeProvider({ workingDir: "/srv/project" });
 * const message = await provider.complete({ systemPrompt: "", history: [], currentMessage: "Hello." });
 * console.log(message.text);
 * ```
 */
export class ClaudeCodeProvider implements OmegaProvider {
  readonly name = "claude-code";
  /** False, because the CLI has its own login. */
  readonly requiresApiKey = false;

  readonly #settings: ClaudeCodeSettings;

  /** Throws `invalid_options` for wrong options. */
  constructor(options: ClaudeCodeProviderOptions = {}) {
    this.#settings = resolveSettings(options);
  }

  /**
   * A provider from the section `[provider.claude-code]` of a configuration, with the keys of the
   * documents, and further `options`. An unknown key is `invalid_options`.
   */
  static fromConfig(
    config: ClaudeCodeConfig,
    options?: ClaudeCodeProviderOptions,
  ): ClaudeCodeProvider;
  /** A provider from the six values of a configuration, in the documents' order. */
  static fromConfig(
    maxTurns: number,
    allowedTools: readonly string[],
    timeoutSecs: number,
    workingDir?: string,
    maxResumeAttempts?: number,
    model?: string,
    options?: ClaudeCodeProviderOptions,
  ): ClaudeCodeProvider;
  static fromConfig(
    first: ClaudeCodeConfig | number,
    ...rest: readonly unknown[]
  ): ClaudeCodeProvider {
    const [config, options] =
      typeof first === "object"
        ? [optionsFromConfig(first), rest[0]]
        : optionsFromPositional(first, ...(rest as Positional));
    return new ClaudeCodeProvider({ ...(options as ClaudeCodeProviderOptions), ...config });
  }

  /**
   * Whether there is a CLI that prints its version. A program that prints something else is not the CLI.
   * The CLI may still need a login.
   */
  static async checkCli(options: CheckOptions = {}): Promise<boolean> {
    const { runnable, version } = await checkCli(options);
    return runnable && version !== undefined;
  }

  get maxTurns(): number {
    return this.#settings.maxTurns;
  }

  /** An empty list is full access. */
  get allowedTools(): readonly string[] {
    return this.#settings.allowedTools;
  }

  get timeoutMs(): number {
    return this.#settings.timeoutMs;
  }

  get workingDir(): string | undefined {
    return this.#settings.workingDir;
  }

  get maxResumeAttempts(): number {
    return this.#settings.maxResumeAttempts;
  }

  /** `""` is the CLI's own choice. */
  get model(): string {
    return this.#settings.model;
  }

  get rawText(): boolean {
    return this.#settings.rawText;
  }

  /**
   * Whether the program that a call would start prints its version. If `spawnClaudeCodeProcess` is set,
   * that function starts the program. With `rawText` the program may be another one, so it only has to
   * run.
   */
  async isAvailable(): Promise<boolean> {
    const { passed, workingDir, rawText } = this.#settings;
    const { runnable, version } = await checkCli({ ...passed, cwd: workingDir });
    return runnable && (rawText || version !== undefined);
  }

  /**
   * Answers a context. Every failure is a `HawserError`; `toOmegaError()` converts it to the documented error. A
   * limit of rounds or budget is not a failure: the text so far is the answer.
   */
  async complete(
    context: Context,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<OutgoingMessage> {
    const startedAt = performance.now();
    validateContext(context);
    // The system prompt is an option of its own.
    const prompt = contextToPrompt({ ...context, systemPrompt: "" });
    const options = withSignal(this.#optionsFor(context), signal);
    if (!this.rawText) return this.#messageOf(prompt, options);
    const output = new RawOutput();
    try {
      return await this.#messageOf(prompt, await output.watch(options));
    } catch (error) {
      const text = output.answerFor(error);
      if (text === undefined) throw error;
      guardedLogger(options).warn("the CLI printed no JSON, so its output is used as the answer");
      return rawMessage(text, performance.now() - startedAt, this.name);
    }
  }

  async #messageOf(prompt: string, options: Options): Promise<OutgoingMessage> {
    const completion = await complete(prompt, options);
    if (completion.stop === "max_turns" || completion.stop === "max_budget") {
      const { stop, sessionId } = completion;
      guardedLogger(options).warn("the answer may be incomplete", { stop, sessionId });
    }
    return messageOf(completion, this.name);
  }

  #optionsFor(context: Context): Options {
    const { passed, timeoutMs, workingDir, maxResumeAttempts } = this.#settings;
    const { sessionId, agentName, mcpServers = [] } = context;
    const model = context.model ?? this.model;
    return {
      ...settingSourcesFor(passed),
      ...passed,
      ...toolOptions(context.allowedTools ?? this.allowedTools, mcpServers, passed),
      ...(passed.strictMcpConfig === undefined ? {} : { strictMcpConfig: passed.strictMcpConfig }),
      ...serverOptions(mcpServers),
      ...this.#systemPromptFor(context),
      ...(workingDir === undefined ? {} : { cwd: workingDir }),
      ...(model === "" ? {} : { model }),
      ...(sessionId === undefined ? {} : { resume: sessionId }),
      ...(agentName === undefined ? {} : { agent: agentName }),
      ...(maxResumeAttempts === 0 ? {} : { autoResume: maxResumeAttempts }),
      preset: "agent",
      maxTurns: context.maxTurns ?? this.maxTurns,
      // The documents have one limit for the whole call.
      timeouts: {
        firstMessageMs: timeoutMs,
        idleMs: timeoutMs,
        ...omitUndefined(passed.timeouts ?? {}),
        totalMs: timeoutMs,
      },
    };
  }

  /**
   * Appended to the CLI's own prompt, as in the original. An agent has its own prompt. Newer CLIs keep
   * the prompt that a session began with, unless `snapshot` is false.
   */
  #systemPromptFor(context: Context): Pick<Options, "systemPrompt"> {
    const { systemPrompt, sessionId, agentName } = context;
    const append = systemPrompt === "" || agentName !== undefined ? {} : { append: systemPrompt };
    const snapshot = sessionId === undefined ? {} : { snapshot: false };
    return { systemPrompt: { type: "preset", preset: "claude_code", ...append, ...snapshot } };
  }
}

type Positional = readonly [
  allowedTools: readonly string[],
  timeoutSecs: number,
  workingDir?: string,
  maxResumeAttempts?: number,
  model?: string,
  options?: ClaudeCodeProviderOptions,
];

/** The options for the documents' six values, and the further options. */
function optionsFromPositional(maxTurns: number, ...values: Positional) {
  const [allowedTools, timeoutSecs, workingDir, maxResumeAttempts, model, options] = values;
  checkTimeoutSecs(timeoutSecs);
  const timeoutMs = timeoutSecs * 1000;
  const config = { maxTurns, allowedTools, timeoutMs, workingDir, maxResumeAttempts, model };
  return [omitUndefined(config), options] as const;
}

/** The sources of the original, but the project's files only if the project is trusted. */
function settingSourcesFor({ settingSources, trustProject }: Options): Options {
  if (settingSources !== undefined) return {};
  if (trustProject === true) return { settingSources: ["user", "project", "local"] };
  return { settingSources: ["user"], trustProject: false };
}

function guardedLogger({ logger }: Options): Logger {
  return guardLogger(logger, hostMask());
}

function withSignal(options: Options, signal: AbortSignal | undefined): Options {
  if (signal === undefined) return options;
  const signals = options.signal === undefined ? [signal] : [options.signal, signal];
  return { ...options, signal: AbortSignal.any(signals) };
}
