import { isObject, type Kind, kind, omitUndefined, type Problem } from "../../base/index.js";
import {
  type AllowedKeys,
  fieldProblems,
  sameName,
  throwFirstProblem,
  unknownKeyProblems,
} from "../check-input.js";
import {
  type ClaudeCodeProviderOptions,
  OPTION_KEYS,
  OPTION_KINDS,
} from "./claude-code-options.js";

/**
 * The section `[provider.claude-code]` of Omega's configuration, as a TOML or JSON parser returns it.
 * A key that is left out has the default of the provider.
 */
export interface ClaudeCodeConfig {
  /** The largest number of rounds in one run. */
  readonly max_turns?: number | undefined;
  /** The tools that exist and need no approval, or rules; `[]` is full access. */
  readonly allowed_tools?: readonly string[] | undefined;
  /** The time limit of a call, in seconds. */
  readonly timeout_secs?: number | undefined;
  /** The folder that the CLI runs in. */
  readonly working_dir?: string | undefined;
  /** How often a call that reached `max_turns` is resumed automatically. */
  readonly max_resume_attempts?: number | undefined;
  /** The model; `""` lets the CLI choose. */
  readonly model?: string | undefined;
}

const SECONDS = kind.number("seconds", "a number of seconds above 0", (seconds) => seconds > 0);

const CONFIG_KINDS: Readonly<Record<keyof ClaudeCodeConfig, Kind>> = {
  max_turns: OPTION_KINDS.maxTurns,
  allowed_tools: OPTION_KINDS.allowedTools,
  timeout_secs: SECONDS,
  working_dir: OPTION_KINDS.workingDir,
  max_resume_attempts: OPTION_KINDS.maxResumeAttempts,
  model: OPTION_KINDS.model,
};

const CONFIG_KEYS: AllowedKeys = {
  what: "a key of the configuration",
  names: Object.keys(CONFIG_KINDS),
  hintFor(plain) {
    if (plain === "timeout" || plain === "timeoutms") return "Use `timeout_secs`, in seconds.";
    if (plain === "cwd") return "Use `working_dir`.";
    const option = sameName(plain, OPTION_KEYS);
    return option && `Give \`${option}\` in the second argument of \`fromConfig()\`.`;
  },
};

/** The options for a configuration. Throws `invalid_options` with the keys of the configuration. */
export function optionsFromConfig(config: ClaudeCodeConfig): ClaudeCodeProviderOptions {
  throwFirstProblem(problemsOf(config));
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

/** Checks the value of the positional form of `fromConfig()`, in which the values have no names. */
export function checkTimeoutSecs(timeoutSecs: number): void {
  throwFirstProblem(SECONDS.problems(timeoutSecs, "timeoutSecs"));
}

function* problemsOf(config: unknown): Iterable<Problem> {
  if (!isObject(config)) return yield kind.notA("an object", config, "config");
  yield* unknownKeyProblems(config, CONFIG_KEYS);
  yield* fieldProblems(config, CONFIG_KINDS);
}
