import { type Approvals, HawserError, isHawserError, type Pool, type Usage } from "hawser";
import {
  type Answer,
  type AnswerEnd,
  type AnswerEvent,
  answerRequest,
  isForced,
  type MessageReader,
  type ModelRequest,
} from "hawser/answer";
import type { AgentDefinitions } from "../agents/agent-definition.js";
import { agentOptions, agentReader, answerAgent } from "../agents/answer-agent.js";
import { RequestError } from "../errors/request-error.js";
import { answerOnFleet, planRun } from "../fleet/answer-on-fleet.js";
import { fleetAgentOf, runsOnFleet } from "../fleet/fleet-agent.js";
import type { GatewayFleet } from "../fleet/gateway-fleet.js";
import { RunReader } from "../fleet/run-reader.js";
import type { ModelEntry } from "../gateway-core.js";
import type { Exchange, RequestRecord } from "../http/exchange.js";
import type { UrlFiles } from "../http/url-files.js";
import type { Admission } from "../tenants/tenant.js";
import { estimateTokens } from "./estimate-tokens.js";
import { asRequestError } from "./invalid-request.js";
import { AGENT, LISTED_ALIASES, modelNotFound, resolveModel } from "./resolve-model.js";

export interface AnsweringOptions {
  readonly pool: Pool;
  /** Where agents with `runOn: "fleet"` run. */
  readonly fleet?: GatewayFleet | undefined;
  /** Whether agents that do not say where they run, run on the pool. @default true */
  readonly hasPool?: boolean | undefined;
  readonly approvals: Approvals;
  readonly models: Readonly<Record<string, string>>;
  readonly agents: AgentDefinitions;
  /** Whether a parameter without effect is refused. */
  readonly isStrict?: boolean | undefined;
}

/** Answers the requests of all clients. */
export class Answering {
  readonly #options: AnsweringOptions;

  constructor(options: AnsweringOptions) {
    this.#options = options;
  }

  models({ tenant }: Exchange): readonly ModelEntry[] {
    const { models, agents } = this.#options;
    const names = [...LISTED_ALIASES, ...Object.keys(models)];
    const entries = new Map(names.map((id) => [id, id]));
    for (const [name, { description }] of Object.entries(agents)) {
      entries.set(`${AGENT}${name}`, description ?? name);
    }
    return [...entries]
      .filter(([id]) => tenant.mayUse(id))
      .map(([id, displayName]) => ({ id, displayName }));
  }

  /** Resolves when the model has begun to answer. Rejects if the request is refused or fails before that. */
  async answer(exchange: Exchange, request: ModelRequest, files?: UrlFiles): Promise<Answer> {
    const { tenant, record } = exchange;
    record.model = request.model;
    if (this.#options.isStrict === true) refuseIgnored(record.ignored ?? []);
    const run = this.#plan(exchange, request);
    if (exchange.signal.aborted) throw new HawserError("aborted", "The client is gone.");
    const admission = tenant.admit();
    record.limits = admission.limits;
    let running: MeteredAnswer;
    try {
      await files?.fetchAll();
      running = run();
    } catch (error) {
      admission.settle();
      throw error;
    }
    settleAfter(running, admission);
    return begun(recorded(running, exchange), record.isStreamed === true);
  }

  /** Checks everything that can be checked without a process. */
  #plan(exchange: Exchange, request: ModelRequest): () => MeteredAnswer {
    const { models, agents, approvals } = this.#options;
    const { tenant, signal, record } = exchange;
    const { pool = this.#options.pool } = tenant;
    if (!tenant.mayUse(request.model)) throw modelNotFound(request.model);
    const target = resolveModel(request.model, { models, agents: Object.keys(agents) });
    refuseContradictions(request);
    const facts = { request, tenant: tenant.name, options: tenant.options, signal };
    if (target.kind === "agent") {
      const definition = agents[target.agent];
      if (definition === undefined) throw modelNotFound(request.model);
      const { fleet, hasPool = true } = this.#options;
      if (fleet !== undefined && runsOnFleet(definition, { hasPool, hasFleet: true })) {
        const agent = fleetAgentOf(target.agent, definition);
        const run = planRun(request, agent, tenant.name);
        const reader = new RunReader({
          model: agent.options.model ?? request.model,
          isStreamed: record.isStreamed === true,
        });
        return () => {
          const progress = new Progress(request);
          const onBegun = progress.onMessage;
          return { ...answerOnFleet(run, { fleet, reader, signal, onBegun }), reader, progress };
        };
      }
      const options = agentOptions({ ...facts, definition, approvals });
      return () => {
        const progress = new Progress(request);
        const reader = agentReader(request);
        const call = pool.stream(undefined, options);
        const events = answerAgent(call, reader, progress.onMessage);
        return { completion: call.completion, reader, events, progress };
      };
    }
    const isStreamed = record.isStreamed === true;
    return () => {
      const progress = new Progress(request);
      const how = { ...facts, model: target.model, isStreamed, onMessage: progress.onMessage };
      const { call, reader, events } = answerRequest(pool, request, how);
      return { completion: call.completion, reader, events, progress };
    };
  }
}

function refuseIgnored(ignored: readonly string[]): void {
  const [first] = ignored.filter((name) => !ALWAYS_SENT.has(name));
  if (first === undefined) return;
  const message = `\`${first}\`: this parameter has no effect, and the gateway is strict. Leave it out.`;
  throw new RequestError("invalid_request", message, { param: first });
}

/** Clients cannot leave these out. */
const ALWAYS_SENT: ReadonlySet<string> = new Set(["max_tokens", "anthropic-beta"]);

function refuseContradictions(request: ModelRequest): void {
  if (request.schema === undefined || !isForced(request)) return;
  const message =
    "A JSON schema for the answer cannot be combined with a `tool_choice` that forces a call. Leave the schema out, or let the model decide with `auto`.";
  throw new RequestError("invalid_request", message, { param: "tool_choice" });
}

/** An answer that is being made, and what is known about its cost if it is cut off. */
interface MeteredAnswer {
  readonly events: AsyncGenerator<AnswerEvent, undefined>;
  /** What it used, when it is over. */
  readonly completion: Promise<{ readonly usage: Usage; readonly costUsd: number | undefined }>;
  readonly reader: UsageReader;
  readonly progress: Progress;
}

/** Counts the tokens of an answer while it is being made. */
type UsageReader = Pick<MessageReader, "usageOfAll">;

/** Whether the CLI has begun with a request. */
class Progress {
  readonly #request: ModelRequest;
  #hasBegun = false;

  constructor(request: ModelRequest) {
    this.#request = request;
  }

  /** Bound, because it is passed on as a function. */
  readonly onMessage = (): void => {
    this.#hasBegun = true;
  };

  /**
   * What an answer without an end has used: what the reader has seen of the answer, or else the request itself, if
   * the CLI may have sent it.
   */
  usage({ usageOfAll }: UsageReader, error?: unknown): Usage | undefined {
    if (usageOfAll !== undefined) return usageOfAll;
    // A failure that the API has reported costs nothing.
    if (!this.#hasBegun || (isHawserError(error) && !CUT_OFF.has(error.code))) return undefined;
    return { input_tokens: estimateTokens(this.#request), output_tokens: 0 };
  }
}

/** The codes of calls that end while the model may be at work. */
const CUT_OFF: ReadonlySet<string> = new Set([
  "aborted",
  "closed",
  "pool_closed",
  "process_exited",
  "timeout",
]);

/** Books what the call used when it is over, also if its events have no reader any more. */
function settleAfter({ completion, reader, progress }: MeteredAnswer, admission: Admission): void {
  completion.then(
    ({ usage, costUsd }) => admission.settle({ usage, costUsd }),
    (error: unknown) => {
      const usage = progress.usage(reader, error);
      // The cost of a call that was cut off is not known.
      admission.settle(usage && { usage, costUsd: undefined, isEstimate: true });
    },
  );
}

/** Writes the facts of the answer into the record of the request. */
async function* recorded(
  { events, reader, progress }: MeteredAnswer,
  { record, signal }: Exchange,
): AsyncGenerator<AnswerEvent, undefined> {
  const startedAt = performance.now();
  let isEnded = false;
  let failure: unknown;
  try {
    for await (const event of events) {
      if (event.type === "start") {
        record.isPaid = true;
        record.firstByteMs = performance.now() - startedAt;
      } else if (event.type === "end") {
        isEnded = true;
        recordEnd(record, event.end);
      }
      yield event;
    }
  } catch (error) {
    failure = error;
    record.errorCode = isHawserError(error) ? error.code : "internal";
    if (isHawserError(error) && isPerhapsPaid(error)) record.isPaid = true;
    // The gateway closes: its reason says more than the abort that follows from it.
    if (signal.reason instanceof RequestError) throw signal.reason;
    throw asRequestError(error);
  } finally {
    if (!isEnded) recordEstimate(record, progress.usage(reader, failure));
  }
}

function recordEnd(
  record: RequestRecord,
  { usage, costUsd, stopReason, completion }: AnswerEnd,
): void {
  Object.assign(record, tokensOf(usage), { costUsd, stopReason });
  record.queuedMs = completion?.timing.queuedMs;
}

/** The client is gone, or the answer failed: what the model has done so far. */
function recordEstimate(record: RequestRecord, usage: Usage | undefined): void {
  if (usage !== undefined) Object.assign(record, tokensOf(usage), { isEstimate: true });
}

function tokensOf(usage: Usage): Partial<RequestRecord> {
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_input_tokens ?? 0,
    cacheCreationTokens: usage.cache_creation_input_tokens ?? 0,
  };
}

/** Whether the model may have worked although nothing of its answer came. */
function isPerhapsPaid({ code, phase }: HawserError): boolean {
  const mayHaveBegun = code === "timeout" || code === "process_exited";
  return mayHaveBegun && phase !== "boot" && phase !== "probe";
}

/**
 * Waits for the first event, so that a request that fails before it has a status of its own. A stream does not
 * wait longer than some seconds, because its client needs a sign of life.
 */
async function begun(events: AsyncGenerator<AnswerEvent>, isStreamed: boolean): Promise<Answer> {
  const first = events.next();
  first.catch(() => {});
  await (isStreamed ? Promise.race([first, pause(FIRST_EVENT_MS)]) : first);
  return {
    async *[Symbol.asyncIterator]() {
      try {
        const next = await first;
        if (next.done !== true) yield next.value;
        yield* events;
      } finally {
        await events.return(undefined);
      }
    },
  };
}

const FIRST_EVENT_MS = 10_000;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
