import { isObject, type Kind, kind, omitUndefined, type Problem } from "../../base/index.js";
import {
  type GeneralOption,
  generalOptions,
  OPTION_TABLE,
  type Options,
  validateOptions,
} from "../../options/index.js";
import {
  type AllowedKeys,
  fieldProblems,
  plainKey,
  sameName,
  throwFirstProblem,
  unknownKeyProblems,
} from "../check-input.js";

/** The documents that describe the provider. Their defaults differ. */
export type ClaudeCodePreset = "specification" | "manual";

/** Options of the library that the provider passes on unchanged: the general options without its own. */
type PassedOptions = Omit<Pick<Options, GeneralOption>, "allowedTools" | "maxTurns" | "model">;

/** The options of the provider. A context overrides some of them for one call. */
export interface ClaudeCodeProviderOptions extends PassedOptions {
  /** Takes the defaults of one of the documents instead of the provider's own. */
  preset?: ClaudeCodePreset | undefined;
  /**
   * The largest number of rounds in one run.
   *
   * @default 10
   */
  maxTurns?: number | undefined;
  /**
   * The tools that exist and need no approval, or rules for them. `[]` is full access: every tool that
   * exists runs without approval, except the tools that ask a person something.
   *
   * @default ["Bash", "Read", "Write", "Edit"]; [] with the preset "manual"
   */
  allowedTools?: readonly string[] | undefined;
  /**
   * The built-in tools that exist, instead of the tools in `allowedTools`. `[]` is none: the provider only
   * answers. No context lifts this restriction; the MCP servers of a context are still available.
   */
  tools?: Options["tools"];
  /**
   * The time limit of a call in milliseconds, without the start of the CLI, which has 60 s. `Infinity` is no
   * limit.
   *
   * @default 3_600_000; 600_000 with the preset "specification"
   */
  timeoutMs?: number | undefined;
  /** The folder that the CLI runs in. */
  workingDir?: string | undefined;
  /**
   * How often a call that reached `maxTurns` is resumed automatically.
   *
   * @default 5; 0 with the preset "specification"
   */
  maxResumeAttempts?: number | undefined;
  /**
   * The model; `""` lets the CLI choose.
   *
   * @default ""
   */
  model?: string | undefined;
  /**
   * Accept a program that prints plain text: the text is the answer. Without this it is an error. A
   * program that prints no version is not the CLI, so its input ends after the prompt.
   *
   * @default false
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

/** The specification has no resuming: the text at the limit is the answer. */
const PRESETS: Readonly<Record<ClaudeCodePreset, typeof DEFAULTS>> = {
  specification: { ...DEFAULTS, timeoutMs: 600_000, maxResumeAttempts: 0 },
  manual: { ...DEFAULTS, allowedTools: [] },
};

/** Fills in the defaults. Throws `invalid_options` with all problems. */
export function resolveSettings(options: ClaudeCodeProviderOptions): ClaudeCodeSettings {
  throwFirstProblem(problemsOf(options));
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
  if (!isObject(options)) return yield kind.notA("an object", options, "options");
  yield* unknownKeyProblems(options, OPTIONS);
  yield* fieldProblems(options, OPTION_KINDS);
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

const STRING_LIST = kind.listOf(kind.string);

/** The kinds of the provider's own options. Their values are then checked like those of every option. */
export const OPTION_KINDS: Readonly<Record<OwnName, Kind>> = {
  preset: kind.either("preset", '"specification" or "manual"', [isPreset, kind.string]),
  maxTurns: kind.count,
  allowedTools: STRING_LIST,
  timeoutMs: kind.number("milliseconds", "a number of milliseconds above 0", (ms) => ms > 0),
  workingDir: kind.string,
  maxResumeAttempts: kind.size,
  model: kind.string,
  rawText: kind.boolean,
};

type OwnName = Exclude<keyof ClaudeCodeProviderOptions, keyof PassedOptions>;

/** All options of the provider, by name. */
export const OPTION_KEYS: readonly string[] = [
  ...Object.keys(OPTION_KINDS),
  ...generalOptions().filter((name) => !Object.hasOwn(OPTION_KINDS, name)),
];

const OPTIONS: AllowedKeys = {
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
const giveInContext = (name: string) => `Give it to \`complete()\` as \`${name}\` of the context.`;

/** By the key as `plainKey()` writes it. */
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    timeout: SECONDS,
    timeoutSecs: SECONDS,
    autoResume: "Use `maxResumeAttempts`.",
    agent: giveInContext("agentName"),
    agentName: giveInContext("agentName"),
    currentMessage: giveInContext("currentMessage"),
    history: giveInContext("history"),
    mcpServers: giveInContext("mcpServers"),
    resume: giveInContext("sessionId"),
    sessionId: giveInContext("sessionId"),
    systemPrompt: giveInContext("systemPrompt"),
  }).map(([key, hint]) => [plainKey(key), hint]),
);

function isPreset(value: unknown): boolean {
  return typeof value === "string" && Object.hasOwn(PRESETS, value);
}
