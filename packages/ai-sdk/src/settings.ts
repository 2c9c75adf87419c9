import { HawserError, type Options, type Pool, type PoolOptions } from "hawser";

/** The options of `hawser` that a model obeys. Tools, permissions and sessions of the CLI belong to an agent. */
const MODEL_OPTIONS = {
  modelAliases: true,
  fallbackModel: true,
  effort: true,
  thinking: true,
  maxThinkingTokens: true,
  maxBudgetUsd: true,
  maxRepairs: true,
  betas: true,
  bare: true,
  timeouts: true,
  retry: true,
  tenant: true,
  priority: true,
  cliPath: true,
  cliFrom: true,
  cwd: true,
  env: true,
  inheritEnv: true,
  nested: true,
  apiKey: true,
  oauthToken: true,
  configDir: true,
  user: true,
  extraArgs: true,
  spawnClaudeCodeProcess: true,
  onOldCli: true,
  maxLineBytes: true,
  closeGraceMs: true,
  stderr: true,
  logger: true,
  debug: true,
  debugFile: true,
} as const satisfies Partial<Record<keyof Options, true>>;

type ModelOptions = Pick<Options, keyof typeof MODEL_OPTIONS>;

/** The settings of a call. As defaults they are given to `createHawser()`, for one call as `providerOptions.hawser`. */
export interface ModelSettings extends ModelOptions {
  /**
   * Whether a streamed answer by schema (`Output.object()` and others) is shown while the model writes it. If the
   * CLI must then let the model repair the value, the stream fails with `structured_output`. With `false` the value
   * is shown when it is accepted, after repairs.
   * @default true
   */
  readonly partialObjects?: boolean | undefined;
  /**
   * Whether the model may call several tools in one step.
   * @default true
   */
  readonly parallelToolCalls?: boolean | undefined;
}

/** The settings of `createHawser()`. */
export interface HawserSettings extends ModelSettings {
  /**
   * The pool whose processes answer. It stays yours: `hawser.close()` does not close it.
   * @default a pool of the provider's own, made at the first call
   */
  readonly pool?: Pool | undefined;
  /** The options of the provider's own pool. */
  readonly poolOptions?: PoolOptions | undefined;
}

const OWN_SETTINGS = { partialObjects: true, parallelToolCalls: true } as const;
const PROVIDER_SETTINGS = { pool: true, poolOptions: true } as const;

/** The settings of `createHawser()`, split into those of the provider and those of its calls. */
export function providerSettings({ pool, poolOptions, ...defaults }: HawserSettings): {
  readonly pool: Pool | undefined;
  readonly poolOptions: PoolOptions | undefined;
  readonly defaults: ModelSettings;
} {
  refuseUnknown(defaults, "createHawser()", { ...CALL_SETTINGS, ...PROVIDER_SETTINGS });
  if (pool !== undefined && poolOptions !== undefined) {
    throw new HawserError("invalid_options", "createHawser() got both `pool` and `poolOptions`.", {
      hint: "Pass `poolOptions` only if the provider is to make a pool of its own.",
      issues: [{ path: "poolOptions", message: "contradicts pool" }],
    });
  }
  return { pool, poolOptions, defaults };
}

/** The settings of one call: the defaults, and over them `providerOptions.hawser`. */
export function callSettings(
  defaults: ModelSettings,
  given: Readonly<Record<string, unknown>> = {},
): ModelSettings {
  refuseUnknown(given, "providerOptions.hawser", CALL_SETTINGS);
  return { ...defaults, ...(given as ModelSettings) };
}

/** Splits off what is no option of `hawser`. */
export function modelOptions(settings: ModelSettings): Options {
  const { partialObjects: _partial, parallelToolCalls: _parallel, ...options } = settings;
  return options;
}

const CALL_SETTINGS: Readonly<Record<string, true>> = { ...MODEL_OPTIONS, ...OWN_SETTINGS };

function refuseUnknown(given: object, place: string, known: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `\`${name}\``).join(", ");
  throw new HawserError("invalid_options", `${place} has no setting ${names}.`, {
    hint: `The settings are: ${Object.keys(known).sort().join(", ")}. Tools, permissions and sessions of the CLI belong to \`hawser.agent()\`.`,
    issues: unknown.map((path) => ({ path, message: `is no setting of ${place}` })),
  });
}
