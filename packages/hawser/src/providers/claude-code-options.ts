import { omitUndefined } from "../base/index.js";
import {
  GENERAL_OPTIONS,
  type GeneralOption,
  OPTION_TABLE,
  type Options,
  validateOptions,
} from "../options/index.js";
import {
  type KnownKeys,
  type Problem,
  plainKey,
  refuse,
  sameName,
  unknownKeys,
} from "./unknown-key.js";

/** The documents that describe the provider, each with defaults of its own. */
export type ClaudeCodePreset = "specification" | "manual";

/** Options of the library that the provider passes on as they are: the general ones, but for its own. */
type PassedOptions = Omit<Pick<Options, GeneralOption>, "allowedTools" | "maxTurns" | "model">;

/** What the provider is told once; a context may say otherwise for one call. */
export interface ClaudeCodeProviderOptions extends PassedOptions {
  /** Defaults of one of the documents, in place of the provider's own. */
  preset?: ClaudeCodePreset | undefined;
  /** Rounds of tool use in one run; 10. */
  maxTurns?: number | undefined;
  /**
   * The tools that exist and need no approval, or rules for them. `[]` is full access: every tool that
   * exists runs without approval, except the tools that ask a person something.
   */
  allowedTools?: readonly string[] | undefined;
  /**
   * The CLI's own tools that exist, in place of those that `allowedTools` names. `[]` is none: the
   * provider only answers. No context lifts it; MCP servers of a context are there all the same.
   */
  tools?: Options["tools"];
  /** Over everything but the start of the CLI, which has 60 s; 3,600,000. `Infinity` is no limit. */
  timeoutMs?: number | undefined;
  /** Where the CLI runs. */
  workingDir?: string | undefined;
  /** How often a call goes on by itself that reached `maxTurns`; 5. */
  maxResumeAttempts?: number | undefined;
  /** `""` is the CLI's own choice. */
  model?: string | undefined;
  /**
   * Take what a program prints that speaks no JSON for its answer, where that is an error otherwise. A
   * program that says no version is not the CLI: its input ends after the prompt.
   */
  rawText?: boolean | undefined;
}

export interface ClaudeCodeSettings {
  readonly maxTurns: number;
  readonly allowedTools: readonly string[];
  readonly timeoutMs: number;
  readonly workingDir: string | undefined;
  readonly maxResumeAttempts: number;
  readonly model: string;
  readonly rawText: boolean;
  readonly passed: PassedOptions;
}

const FOUR_TOOLS = ["Bash", "Read", "Write", "Edit"];

const DEFAULTS = {
  maxTurns: 10,
  allowedTools: FOUR_TOOLS,
  timeoutMs: 3_600_000,
  maxResumeAttempts: 5,
  model: "",
  rawText: false,
};

/** The specification knows no resuming: what is there at the limit is the answer. */
const PRESETS: Readonly<Record<ClaudeCodePreset, typeof DEFAULTS>> = {
  specification: { ...DEFAULTS, timeoutMs: 600_000, maxResumeAttempts: 0 },
  manual: { ...DEFAULTS, allowedTools: [] },
};

/** Throws `invalid_options` with all that is wrong. */
export function settingsOf(options: ClaudeCodeProviderOptions): ClaudeCodeSettings {
  refuse(problemsOf(options));
  const defaults = options.preset === undefined ? DEFAULTS : PRESETS[options.preset];
  const {
    preset: _,
    maxTurns = defaults.maxTurns,
    allowedTools = defaults.allowedTools,
    timeoutMs = defaults.timeoutMs,
    maxResumeAttempts = defaults.maxResumeAttempts,
    model = defaults.model,
    rawText = defaults.rawText,
    cwd,
    workingDir = cwd,
    ...rest
  } = options;
  const passed = omitUndefined(rest) as PassedOptions;
  validateOptions({ ...passed, cwd: workingDir, maxTurns, model, allowedTools: [...allowedTools] });
  return {
    maxTurns,
    allowedTools: Object.freeze([...allowedTools]),
    timeoutMs,
    workingDir,
    maxResumeAttempts,
    model,
    rawText,
    passed,
  };
}

function* problemsOf(options: unknown): Iterable<Problem> {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    return yield { path: "options", message: "must be an object" };
  }
  yield* unknownKeys(options, KNOWN);
  for (const [name, { be, holds }] of Object.entries(MUST)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !holds(value)) yield { path: name, message: `must be ${be}` };
  }
  yield* contradictions(options);
}

function* contradictions(options: ClaudeCodeProviderOptions): Iterable<Problem> {
  const { cwd, workingDir, timeouts, rawText } = options;
  if (cwd !== undefined && workingDir !== undefined && cwd !== workingDir) {
    yield { path: "cwd", message: "contradicts workingDir: they name different folders" };
  }
  if (timeouts?.totalMs !== undefined) {
    yield { path: "timeouts.totalMs", message: "is timeoutMs here" };
  }
  if (rawText !== true) return;
  for (const name of ["spawnClaudeCodeProcess", "user"] as const) {
    if (options[name] === undefined) continue;
    yield { path: "rawText", message: `contradicts ${name}: it starts the process by itself` };
  }
}

/** What a value must be, and whether it is that. */
export interface Must {
  readonly be: string;
  readonly holds: (value: unknown) => boolean;
}

const COUNT = (least: number): Must => ({
  be: `an integer of at least ${least}`,
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= least,
});
const TEXT: Must = { be: "a string", holds: (value) => typeof value === "string" };

/** The provider's own; what they hold beyond that is checked as every option is. */
export const MUST: Readonly<Record<OwnName, Must>> = {
  preset: {
    be: '"specification" or "manual"',
    holds: (value) => Object.hasOwn(PRESETS, String(value)),
  },
  maxTurns: COUNT(1),
  allowedTools: { be: "an array of strings", holds: isTexts },
  timeoutMs: {
    be: "a number of milliseconds above 0",
    holds: (ms) => typeof ms === "number" && ms > 0,
  },
  workingDir: TEXT,
  maxResumeAttempts: COUNT(0),
  model: TEXT,
  rawText: { be: "a boolean", holds: (value) => typeof value === "boolean" },
};

type OwnName = Exclude<keyof ClaudeCodeProviderOptions, keyof PassedOptions>;

/** All options of the provider, by name. */
export const OPTION_KEYS: readonly string[] = [
  ...Object.keys(MUST),
  ...GENERAL_OPTIONS.filter((name) => !Object.hasOwn(MUST, name)),
];

const KNOWN: KnownKeys = {
  what: "an option of the provider",
  names: OPTION_KEYS,
  hintFor(plain) {
    const hint = HINTS.get(plain);
    if (hint !== undefined) return hint;
    const other = sameName(plain, Object.keys(OPTION_TABLE));
    return (
      other && `Leave it out, or call \`complete()\` of the library, which takes \`${other}\`.`
    );
  },
};

const SECONDS = "Use `timeoutMs`, in milliseconds; `fromConfig({ timeout_secs })` takes seconds.";
const ofContext = (name: string) => `Give it to \`complete()\` as \`${name}\` of the context.`;

/** By the key as `plainKey()` writes it. */
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    timeout: SECONDS,
    timeoutSecs: SECONDS,
    autoResume: "Use `maxResumeAttempts`.",
    agent: ofContext("agentName"),
    agentName: ofContext("agentName"),
    currentMessage: ofContext("currentMessage"),
    history: ofContext("history"),
    mcpServers: ofContext("mcpServers"),
    resume: ofContext("sessionId"),
    sessionId: ofContext("sessionId"),
    systemPrompt: ofContext("systemPrompt"),
  }).map(([key, hint]) => [plainKey(key), hint]),
);

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
