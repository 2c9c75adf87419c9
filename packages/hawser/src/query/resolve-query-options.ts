import {
  closestName,
  type Environment,
  guardLogger,
  hostMask,
  lazy,
  omitUndefined,
} from "../base/index.js";
import {
  HOOK_EVENTS,
  type Hooks,
  OPTION_TABLE,
  type Options,
  pathsOfScope,
  refuseOptions,
  shadowedCallbackWarning,
  validateOptions,
  withPreset,
} from "../options/index.js";
import { keepingBlanks } from "../process/index.js";

/** The options of `query()`, with the defaults of the official SDK. */
export function resolveQueryOptions(options: Options = {}): Options {
  // As in the official SDK, the settings of the folder apply, unless `settingSources` leaves them out.
  const known = withPreset({
    trustProject: true,
    ...omitUndefined(lenient(withoutUnknown(options))),
  });
  validateOptions(known);
  refuseOptions("query()", known, optionsNotHere());
  const shadowed = shadowedCallbackWarning(known);
  // Emitted for each query, with the code of the official SDK, because programs listen for it.
  if (shadowed !== undefined) process.emitWarning(shadowed, { code: SHADOWED });
  const { env, inheritEnv, systemPrompt, strictMcpConfig, retry, stderr } = known;
  return {
    ...known,
    // The official SDK passes the text as it arrives, line ends included.
    ...(stderr === undefined
      ? {}
      : { stderr: keepingBlanks((line: string) => stderr(`${line}\n`)) }),
    // As in the official SDK, `env` replaces the environment.
    ...(env !== undefined && inheritEnv === undefined ? { inheritEnv: false } : {}),
    ...(systemPrompt === undefined ? { systemPrompt: "" } : {}),
    ...(strictMcpConfig === undefined ? { strictMcpConfig: false } : {}),
    ...(retry === undefined && !limitsRetries(env) ? { retry: { cliRetries: CLI_RETRIES } } : {}),
  };
}

const SHADOWED = "CLAUDE_SDK_CAN_USE_TOOL_SHADOWED";

/** Options of this library that mean nothing in `query()`, which knows no calls, turns or pools. */
const optionsNotHere = lazy(() => [
  ...pathsOfScope("call"),
  ...pathsOfScope("pool"),
  ...pathsOfScope("session", "turn"),
]);

/** The number of retries that the CLI makes by default. */
const CLI_RETRIES = 10;

function limitsRetries(env: Environment = process.env): boolean {
  return env["CLAUDE_CODE_MAX_RETRIES"] !== undefined;
}

/** The official SDK ignores an unknown option. It is ignored here too, with a warning. */
function withoutUnknown(options: Options): Options {
  const known = Object.entries(options).filter(([name]) => Object.hasOwn(OPTION_TABLE, name));
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(OPTION_TABLE, name));
  warn(
    options,
    "unknown options",
    unknown.map((name) => {
      const near = closestName(name, Object.keys(OPTION_TABLE));
      return near === undefined ? name : `${name} (did you mean ${near}?)`;
    }),
  );
  return Object.fromEntries(known);
}

/** Removes values that have no meaning, and that the official SDK ignores. */
function lenient(options: Options): Options {
  const { maxTurns, forkSession, resume, allowedTools, disallowedTools, env, hooks } = options;
  const nothingToFork = forkSession === true && resume === undefined && !options.continue;
  const hasSpareTokens = options.thinking !== undefined && options.maxThinkingTokens !== undefined;
  if (hasSpareTokens) warn(options, "options that `thinking` replaces", ["maxThinkingTokens"]);
  return {
    ...options,
    ...(hasSpareTokens ? { maxThinkingTokens: undefined } : {}),
    ...(maxTurns === 0 ? { maxTurns: undefined } : {}),
    ...(nothingToFork ? { forkSession: undefined } : {}),
    ...(allowedTools && { allowedTools: allowedTools.filter((rule) => rule !== "") }),
    ...(disallowedTools && { disallowedTools: disallowedTools.filter((rule) => rule !== "") }),
    ...(env && { env: asText(env) }),
    ...(hooks && { hooks: knownHooks(hooks, options) }),
  };
}

function asText(env: Environment): Environment {
  const texts = Object.entries(env).map(([name, value]) => [
    name,
    typeof value === "number" || typeof value === "boolean" ? String(value) : value,
  ]);
  return Object.fromEntries(texts);
}

/** Removes events that the CLI does not know, because they never fire. */
function knownHooks(hooks: Hooks, options: Options): Hooks {
  const isKnown = ([event]: readonly [string, unknown]) =>
    (HOOK_EVENTS as readonly string[]).includes(event);
  const unknown = Object.entries(hooks).filter((entry) => !isKnown(entry));
  if (unknown.length === 0) return hooks;
  const names = unknown.map(([event]) => event);
  warn(options, "unknown hook events", names);
  return Object.fromEntries(Object.entries(hooks).filter(isKnown));
}

/** Warns without a logger too, because a misspelt guard guards nothing. */
function warn({ logger }: Options, what: string, names: readonly string[]): void {
  if (names.length === 0) return;
  if (logger !== undefined) guardLogger(logger, hostMask()).warn(what, { names });
  else process.emitWarning(`query(): ${what}: ${names.join(", ")}`, "HawserWarning");
}
