import { HawserError, omitUndefined } from "../base/index.js";
import {
  type AutoResumeOptions,
  type JsonSchema,
  type Options,
  pathsOfScope,
  type RetryOptions,
  refuseOpenGuards,
  refuseOptions,
  refuseWithoutPool,
  type StandardSchema,
  validateOptions,
  validatePrompt,
  withPreset,
} from "../options/index.js";
import { type Timeouts, timeoutsOf, warnOfShadowedCallback } from "../session/index.js";
import { encodeLine, type Prompt, userLine } from "../wire/index.js";

type Known<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** What a call is to do, with every default in its place. */
export interface Plan {
  readonly prompt: Prompt;
  /** For its sessions; the call's own signals are not among them. */
  readonly options: Options;
  /** Of each turn; the call as a whole has `totalMs`. */
  readonly timeouts: Timeouts;
  readonly totalMs: number;
  readonly showsEvents: boolean;
  readonly retry: Known<Omit<RetryOptions, "cliRetries" | "apiTimeoutMs">>;
  readonly autoResume: Known<AutoResumeOptions>;
  readonly schema: StandardSchema | JsonSchema | undefined;
  readonly maxRepairs: number;
}

/** Throws what is wrong with the input, before anything is started. */
export function planOf(caller: string, prompt: Prompt, options: Options): Plan {
  validatePrompt(prompt);
  // A prompt that cannot be written would never arrive.
  if (typeof prompt !== "string") encodeLine(userLine(prompt));
  validateOptions(options);
  refuseOpenGuards(options);
  refuseOptions(caller, options, SESSION_OPTIONS);
  refuseWithoutPool(caller, options);
  warnOfShadowedCallback(options);

  const wanted = omitUndefined(options);
  const autoResume = autoResumeOf(wanted);
  const {
    signal: _,
    abortController: __,
    ...resolved
  } = withPreset({
    preset: "lean",
    ...(autoResume.times > 0 ? { persistSession: true } : {}),
    ...wanted,
  });
  const { totalMs, ...phases } = timeoutsOf(resolved, DEFAULT_TOTAL_MS);
  const { schema: own, outputFormat, ...rest } = resolved;
  const schema = own ?? outputFormat?.schema;
  return {
    prompt,
    options: {
      ...rest,
      // The model's events make the text live, and show that it is not silent.
      includePartialMessages: rest.includePartialMessages ?? true,
      ...(schema === undefined ? {} : { maxTurns: rest.maxTurns ?? turnsFor(rest) }),
      ...(autoResume.times > 0 ? { recover: true } : {}),
    },
    timeouts: { ...phases, totalMs: Number.POSITIVE_INFINITY },
    totalMs,
    showsEvents: rest.includePartialMessages === true,
    retry: retryOf(wanted, totalMs),
    autoResume,
    schema,
    maxRepairs: wanted.maxRepairs ?? 2,
  };
}

/** A call makes its attempts anew by `retry`, and goes on by `autoResume`. */
const SESSION_OPTIONS = pathsOfScope("session");

const DEFAULT_TOTAL_MS = 600_000;

function autoResumeOf({ autoResume = 0 }: Options): Plan["autoResume"] {
  const own: AutoResumeOptions =
    typeof autoResume === "number" ? { times: autoResume } : autoResume;
  const { times, waitMs = 0, prompt = "Go on where you stopped." } = own;
  return { times, waitMs, prompt };
}

function retryOf({ retry = {} }: Options, totalMs: number): Plan["retry"] {
  const { attempts = 0, baseMs = 1_000, maxMs = 30_000, budgetMs = totalMs } = retry;
  if (budgetMs > totalMs) {
    const message = `retry.budgetMs (${budgetMs}) is longer than timeouts.totalMs (${totalMs}).`;
    throw new HawserError("invalid_options", message, {
      hint: "Lower `retry.budgetMs`, or raise `timeouts.totalMs`, which ends the whole call.",
      issues: [{ path: "retry.budgetMs", message: "cannot fit into timeouts.totalMs" }],
    });
  }
  return { attempts, baseMs, maxMs, budgetMs, afterTools: retry.afterTools === true };
}

/** Some versions of the CLI ask a model that never gives the value for ever. */
function turnsFor({ tools, mcpServers }: Options): number {
  const lean = Array.isArray(tools) && tools.length === 0 && mcpServers === undefined;
  return lean ? 10 : 100;
}
