import { omitUndefined } from "../base/index.js";
import {
  type ClaudeCodeProviderOptions,
  MUST,
  type Must,
  OPTION_KEYS,
} from "./claude-code-options.js";
import { type KnownKeys, type Problem, refuse, sameName, unknownKeys } from "./unknown-key.js";

/**
 * The section `[provider.claude-code]` of Omega's configuration, as a TOML or JSON parser gives it.
 * What is left out has the provider's default.
 */
export interface ClaudeCodeConfig {
  /** Rounds of tool use in one run. */
  readonly max_turns?: number | undefined;
  /** The tools that exist and need no approval, or rules; `[]` is full access. */
  readonly allowed_tools?: readonly string[] | undefined;
  /** The limit of time of a call, in seconds. */
  readonly timeout_secs?: number | undefined;
  /** Where the CLI runs. */
  readonly working_dir?: string | undefined;
  /** How often a call that reached `max_turns` goes on by itself. */
  readonly max_resume_attempts?: number | undefined;
  /** The model; `""` is the CLI's own choice. */
  readonly model?: string | undefined;
}

const SECONDS: Must = {
  be: "a number of seconds above 0",
  holds: (value) => typeof value === "number" && value > 0,
};

const RULES: Readonly<Record<keyof ClaudeCodeConfig, Must>> = {
  max_turns: MUST.maxTurns,
  allowed_tools: MUST.allowedTools,
  timeout_secs: SECONDS,
  working_dir: MUST.workingDir,
  max_resume_attempts: MUST.maxResumeAttempts,
  model: MUST.model,
};

const KNOWN: KnownKeys = {
  what: "a key of the configuration",
  names: Object.keys(RULES),
  hintFor(plain) {
    if (plain === "timeout" || plain === "timeoutms") return "Use `timeout_secs`, in seconds.";
    if (plain === "cwd") return "Use `working_dir`.";
    const option = sameName(plain, OPTION_KEYS);
    return option && `Give \`${option}\` in the second argument of \`fromConfig()\`.`;
  },
};

/** The options that a configuration stands for. Throws `invalid_options` in the configuration's words. */
export function optionsOfConfig(config: ClaudeCodeConfig): ClaudeCodeProviderOptions {
  refuse(problemsOf(config));
  const { max_turns, allowed_tools, timeout_secs, working_dir, max_resume_attempts } = config;
  return omitUndefined({
    maxTurns: max_turns,
    allowedTools: allowed_tools,
    timeoutMs: timeout_secs === undefined ? undefined : timeout_secs * 1000,
    workingDir: working_dir,
    maxResumeAttempts: max_resume_attempts,
    model: config.model,
  });
}

/** The values of the documents' constructor, which has no names for them. */
export function checkSeconds(timeoutSecs: number): void {
  if (SECONDS.holds(timeoutSecs)) return;
  refuse([{ path: "timeoutSecs", message: `must be ${SECONDS.be}` }]);
}

function* problemsOf(config: unknown): Iterable<Problem> {
  if (typeof config !== "object" || config === null || Array.isArray(config)) {
    return yield { path: "config", message: "must be an object" };
  }
  yield* unknownKeys(config, KNOWN);
  for (const [name, { be, holds }] of Object.entries(RULES)) {
    const value: unknown = Reflect.get(config, name);
    if (value !== undefined && !holds(value)) yield { path: name, message: `must be ${be}` };
  }
}
