import { HawserError, lazy, omitUndefined, throwIfInvalid } from "../base/index.js";
import {
  type AutoResumeOptions,
  type JsonSchema,
  type Options,
  offersClientTools,
  pathsOfScope,
  type RetryOptions,
  refuseOpenGuards,
  refuseOptions,
  refuseWithoutPool,
  type StandardSchema,
  validateConversation,
  validateOptions,
  withPreset,
} from "../options/index.js";
import {
  type LeaseRequest,
  type Timeouts,
  timeoutsOf,
  warnOfShadowedCallback,
} from "../session/index.js";
import {
  copyContent,
  encodeLine,
  type History,
  type JoinedMessage,
  joinMessages,
  type Prompt,
  userLine,
} from "../wire/index.js";
import { type ForcedToolCall, forcedToolCall } from "./forced-tool-call.js";
import { planOnce } from "./plan-cache.js";
import { prepareStructuredOutput } from "./structured-output.js";

type Known<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** The instructions for a call: its prompt, and its options with all defaults. */
export interface Plan {
  /** The messages before the prompt, of the user and the assistant in turn. */
  readonly history: readonly JoinedMessage[];
  readonly prompt: Prompt;
  /** The options of its sessions. They do not include the signals, to which the call itself listens. */
  readonly options: Options;
  /** The limits of each turn. `totalMs` limits the call as a whole. */
  readonly timeouts: Timeouts;
  readonly totalMs: number;
  readonly showsEvents: boolean;
  readonly retry: Known<Omit<RetryOptions, "cliRetries" | "apiTimeoutMs">>;
  readonly autoResume: Known<AutoResumeOptions>;
  readonly schema: StandardSchema | JsonSchema | undefined;
  /** The tool call that stands for the value, if the model must call a tool. */
  readonly forcedCall: ForcedToolCall | undefined;
  /** Whether the call ends when the model calls a tool. */
  readonly endsAtToolCalls: boolean;
  readonly maxRepairs: number;
}

/** Throws `invalid_options` for a wrong prompt or option, before anything is started. */
export function planCall(caller: string, prompt: Prompt | undefined, options: Options): Plan {
  // Before the history is read, because it may be anything.
  const plan = planOnce(caller, options, planOptions);
  const { history = [] } = options;
  validateConversation(history, prompt);
  if (history.length > 0 && plan.retry.attempts > 0) refuseChosenSession(options);
  // Throws for a prompt that cannot be encoded as a line.
  if (prompt !== undefined && typeof prompt !== "string") encodeLine(userLine(prompt));
  return { ...conversationOf(history, prompt), ...plan };
}

/** Another attempt would resume the session, which may hold a part of the history already. */
function refuseChosenSession({ sessionId }: Options): void {
  if (sessionId === undefined) return;
  throwIfInvalid([
    {
      path: "history",
      message: "contradicts sessionId together with retry.attempts",
      hint: "Leave `sessionId` or `retry.attempts` out.",
    },
  ]);
}

/**
 * Splits a conversation into the message to answer and the messages before it. The message to answer is the
 * prompt, together with the user messages directly before it. All is a copy, because the caller may change its
 * blocks while the call waits for its process or in a queue, or tries again.
 */
function conversationOf(
  history: History,
  prompt: Prompt | undefined,
): Pick<Plan, "history" | "prompt"> {
  if (history.length === 0 && prompt !== undefined) {
    return { history: [], prompt: typeof prompt === "string" ? prompt : copyContent(prompt) };
  }
  const last: History = prompt === undefined ? [] : [{ role: "user", content: prompt }];
  const joined = joinMessages([...history, ...last]);
  return { history: joined.slice(0, -1), prompt: joined.at(-1)?.content ?? [] };
}

type PlannedOptions = Omit<Plan, "prompt" | "history">;

function planOptions(caller: string, options: Options): PlannedOptions {
  validateOptions(options);
  refuseOpenGuards(options);
  refuseOptions(caller, options, sessionOptions());
  refuseWithoutPool(caller, options);
  warnOfShadowedCallback(options);

  const wanted = omitUndefined(options);
  const autoResume = resolveAutoResume(wanted);
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
  const { schema: own, outputFormat, clientTools, toolChoice: _choice, ...rest } = resolved;
  const forcedCall = forcedToolCall(resolved);
  const endsAtToolCalls = offersClientTools(resolved);
  const schema = forcedCall?.schema ?? own ?? outputFormat?.schema;
  return {
    options: {
      ...rest,
      // The events of the model make the text live, and show that the model is not silent.
      includePartialMessages: endsAtToolCalls || (rest.includePartialMessages ?? true),
      // A process knows nothing of tools that the model does not have.
      ...(endsAtToolCalls ? { clientTools } : {}),
      ...(schema === undefined ? {} : { maxTurns: rest.maxTurns ?? maxTurnsForOutput(rest) }),
      ...(autoResume.times > 0 ? { recover: true } : {}),
    },
    timeouts: { ...phases, totalMs: Number.POSITIVE_INFINITY },
    totalMs,
    showsEvents: rest.includePartialMessages === true,
    retry: resolveRetry(wanted, totalMs),
    autoResume,
    schema,
    forcedCall,
    endsAtToolCalls,
    maxRepairs: wanted.maxRepairs ?? 2,
  };
}

/** Options of sessions only. A call is retried by `retry`, and continued by `autoResume`. */
const sessionOptions = lazy(() => pathsOfScope("session"));

const DEFAULT_TOTAL_MS = 600_000;

/**
 * The lease that a call with these options will request, whatever its prompt. A pool starts a process for
 * it before the call. Throws `invalid_options` at once.
 */
export function leaseRequestFor(caller: string, options: Options): Promise<LeaseRequest> {
  return requestFor(planOptions(caller, options));
}

async function requestFor(plan: PlannedOptions): Promise<LeaseRequest> {
  const { options, schema, timeouts, showsEvents } = plan;
  const output = schema && (await prepareStructuredOutput(schema));
  return { purpose: "call", options: { ...options, ...output?.options }, timeouts, showsEvents };
}

function resolveAutoResume({ autoResume = 0 }: Options): Plan["autoResume"] {
  const own: AutoResumeOptions =
    typeof autoResume === "number" ? { times: autoResume } : autoResume;
  const { times, waitMs = 0, prompt = "Go on where you stopped." } = own;
  return { times, waitMs, prompt };
}

function resolveRetry({ retry = {} }: Options, totalMs: number): Plan["retry"] {
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

/** A limit, because some versions of the CLI would ask for ever for a value that the model does not give. */
function maxTurnsForOutput({ tools, mcpServers }: Options): number {
  const lean = Array.isArray(tools) && tools.length === 0 && mcpServers === undefined;
  return lean ? 10 : 100;
}
