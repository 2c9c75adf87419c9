import { diag, type MeterProvider, type TracerProvider, trace } from "@opentelemetry/api";
import { CHANNELS, TRACING_CHANNELS } from "hawser";
import { Content, type ContentOptions } from "./content/content.js";
import { ATTRIBUTES, conventionsFor, SCHEMA_URL, SCOPE_NAME } from "./conventions.js";
import { Instruments } from "./metrics/instruments.js";
import { LiveCounts } from "./metrics/live-counts.js";
import { PACKAGE_VERSION } from "./package-version.js";
import { providerName } from "./provider-name.js";
import { Subscriptions } from "./subscriptions.js";
import { CallTracker } from "./traces/call-tracker.js";
import { GATEWAY_REQUEST, GatewayRequests } from "./traces/gateway-requests.js";
import type { Instrumentation } from "./traces/instrumentation.js";
import { OpenSpans } from "./traces/open-spans.js";

export interface InstrumentOptions {
  /**
   * Where spans go.
   * @default the global provider of `@opentelemetry/api`, also if it is set later
   */
  readonly tracerProvider?: TracerProvider | undefined;
  /**
   * Where metrics go.
   * @default the global provider of `@opentelemetry/api`, also if it is set later
   */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Puts prompts, answers, and inputs and results of tools into spans: secrets masked, long texts cut.
   * @default false
   */
  readonly content?: boolean | ContentOptions | undefined;
  /**
   * The value of `gen_ai.provider.name`.
   * @default by the environment: `aws.bedrock`, `gcp.vertex_ai` or `anthropic`
   */
  readonly provider?: string | undefined;
  /**
   * The most spans that may be open at once. Beyond it, the oldest span ends with `hawser.outcome` `lost`.
   * @default 10_000
   */
  readonly maxOpenSpans?: number | undefined;
}

/**
 * Makes spans and metrics of everything that Hawser does in this program, by the semantic conventions for
 * generative AI. Returns a function that stops it.
 *
 * A second `instrument()` for the same providers shares the first one and its options; it stops with the last of
 * the returned functions.
 *
 * @example
 * ```ts
 * import { instrument } from "@hawser/otel";
 *
 * const stop = instrument();
 * ```
 */
export function instrument(options: InstrumentOptions = {}): () => void {
  const { tracerProvider, meterProvider } = options;
  let shared = running.find((each) => each.isFor(tracerProvider, meterProvider));
  if (shared === undefined) {
    shared = new Running(options);
    running.push(shared);
  } else if (shared.content !== options.content) {
    diag.warn(`${SCOPE_NAME}: instrument() runs already; the options of the first call stay`);
  }
  const used = shared;
  used.users += 1;
  let isStopped = false;
  return () => {
    if (isStopped) return;
    isStopped = true;
    used.users -= 1;
    if (used.users > 0) return;
    running.splice(running.indexOf(used), 1);
    used.close();
  };
}

/** How many spans, calls, sessions, processes and approvals are remembered. Not a public function. */
export function rememberedThings(): number {
  return running.reduce((sum, { size }) => sum + size, 0);
}

/** One instrumentation for each pair of providers. */
const running: Running[] = [];

const MOST_OPEN = 10_000;

class Running {
  users = 0;
  readonly content: InstrumentOptions["content"];
  readonly #tracerProvider: TracerProvider | undefined;
  readonly #meterProvider: MeterProvider | undefined;
  readonly #subscriptions = new Subscriptions();
  readonly #shared: Instrumentation;
  readonly #calls: CallTracker;
  readonly #counts: LiveCounts;

  constructor(options: InstrumentOptions) {
    const { tracerProvider, meterProvider, content, maxOpenSpans: limit = MOST_OPEN } = options;
    this.content = content;
    this.#tracerProvider = tracerProvider;
    this.#meterProvider = meterProvider;
    this.#counts = new LiveCounts(limit);
    const { processes, queue, approvals } = this.#counts;
    // The global provider is a proxy that waits for the real one.
    const tracer = (tracerProvider ?? trace.getTracerProvider()).getTracer(
      SCOPE_NAME,
      PACKAGE_VERSION,
      { schemaUrl: SCHEMA_URL },
    );
    const conventions = conventionsFor(process.env["OTEL_SEMCONV_STABILITY_OPT_IN"]);
    this.#shared = {
      spans: new OpenSpans(tracer, limit, { [ATTRIBUTES.outcome.name]: "lost" }),
      instruments: new Instruments(meterProvider, conventions.tokenMetrics, {
        processes,
        queue,
        approvals,
      }),
      content: new Content(content),
      conventions,
      provider: options.provider ?? providerName(process.env),
    };
    this.#calls = new CallTracker(this.#shared, limit);
    this.#watchCalls();
    this.#watchSessions();
    this.#watchPools();
    this.#watchGateway();
  }

  isFor(tracerProvider: TracerProvider | undefined, meterProvider: MeterProvider | undefined) {
    return tracerProvider === this.#tracerProvider && meterProvider === this.#meterProvider;
  }

  get size(): number {
    return this.#shared.spans.size + this.#calls.size + this.#counts.size;
  }

  close(): void {
    this.#subscriptions.close();
    this.#subscriptions.guard(() => this.#shared.spans.loseAll(), undefined);
    this.#subscriptions.guard(() => this.#shared.instruments.close(), undefined);
    this.#calls.clear();
  }

  #watchCalls(): void {
    const on = this.#subscriptions;
    const calls = this.#calls;
    on.on(CHANNELS.callStart, (event) => calls.onCallStart(event));
    on.on(CHANNELS.callRetry, (event) => calls.onCallRetry(event));
    on.on(CHANNELS.callEnd, (event) => calls.onCallEnd(event));
  }

  #watchSessions(): void {
    const on = this.#subscriptions;
    const calls = this.#calls;
    on.on(CHANNELS.sessionStart, (event) => calls.onSessionStart(event));
    on.on(CHANNELS.sessionReady, (event) => calls.onSessionReady(event));
    on.on(CHANNELS.sessionRecovered, (event) => calls.onSessionRecovered(event));
    on.on(CHANNELS.sessionEnd, (event) => calls.onSessionEnd(event));
    on.on(CHANNELS.turnStart, (event) => calls.onTurnStart(event));
    on.on(CHANNELS.turnEnd, (event) => calls.onTurnEnd(event));
    on.on(CHANNELS.roundStart, (event) => calls.onRoundStart(event));
    on.on(CHANNELS.roundEnd, (event) => calls.onRoundEnd(event));
    on.on(CHANNELS.apiRetry, (event) => calls.onApiRetry(event));
    on.on(CHANNELS.toolStart, (event) => calls.onToolStart(event));
    on.on(CHANNELS.toolEnd, (event) => calls.onToolEnd(event));
    on.on(CHANNELS.permissionDecided, (event) => calls.onDecided(event));
    on.bind(TRACING_CHANNELS.callback.start, (callback) => calls.contextOf(callback));
  }

  #watchPools(): void {
    const on = this.#subscriptions;
    const calls = this.#calls;
    const counts = this.#counts;
    on.on(CHANNELS.processStart, (event) => counts.onProcess(event, "starting"));
    on.on(CHANNELS.processReady, (event) => counts.onProcess(event, "idle"));
    on.on(CHANNELS.processReset, (event) => counts.onProcess(event, "idle"));
    on.on(CHANNELS.processDiscarded, (event) => counts.onProcess(event, "gone"));
    on.on(CHANNELS.processAssigned, (event) => {
      counts.onProcess(event, "serving");
      calls.onAssigned(event);
    });
    on.on(CHANNELS.admissionQueued, (event) => counts.onAdmission(event));
    on.on(CHANNELS.admissionRefused, (event) => counts.onAdmission(event));
    on.on(CHANNELS.admissionAdmitted, (event) => {
      counts.onAdmission(event);
      calls.onAdmitted(event);
    });
    on.on(CHANNELS.approvalRequested, (event) => counts.onRequested(event));
    on.on(CHANNELS.approvalAnswered, (event) => counts.onAnswered(event));
  }

  #watchGateway(): void {
    const requests = new GatewayRequests(this.#shared);
    this.#subscriptions.bind(GATEWAY_REQUEST.start, (request) => requests.start(request));
    this.#subscriptions.on(GATEWAY_REQUEST.asyncEnd, requests.end.bind(requests));
  }
}
