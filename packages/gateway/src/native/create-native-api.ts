import type { Approvals, Pool, Session, TranscriptPlace } from "hawser";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { RequestError } from "../errors/request-error.js";
import { runsOnFleet } from "../fleet/fleet-agent.js";
import type { GatewayFleet } from "../fleet/gateway-fleet.js";
import { keepRequest } from "../http/keep-request.js";
import { ApiSessions, type NativeAgent } from "./api-sessions.js";
import { approvalRoutes } from "./approval-routes.js";
import { fleetApprovals, localApprovals } from "./approval-source.js";
import { EventFeed } from "./event-feed.js";
import type { EventLogOptions } from "./event-log.js";
import { eventRoutes } from "./event-routes.js";
import { failureRoutes } from "./failure-routes.js";
import { fleetRoutes } from "./fleet-routes.js";
import { LOCAL_ACCESS, type NativeAccess, type NativeEnv } from "./native-access.js";
import type { NativeCore } from "./native-core.js";
import { nativeErrorResponse } from "./native-error.js";
import { runRoutes } from "./run-routes.js";
import { SecretMask } from "./secret-mask.js";
import { sessionRoutes } from "./session-routes.js";
import { StoredSessions } from "./stored-sessions.js";
import { StreamLimit } from "./stream-limit.js";

/** The options of `createNativeApi()`. */
export interface NativeApiOptions {
  /** The questions that clients can answer. The first object also gets those of the sessions that the API opens. */
  readonly approvals?: Approvals | readonly Approvals[] | undefined;
  /** The pool whose state is shown, and on which the API opens sessions. */
  readonly pool?: Pool | undefined;
  /** The fleet whose runs and questions clients can use: what `openFleet()` of `@hawser/fleet` returns. */
  readonly fleet?: GatewayFleet | undefined;
  /**
   * Whether agents without `runOn` run on the pool or in processes of their own.
   * @default true
   */
  readonly hasPool?: boolean | undefined;
  /** The agents whose sessions clients can open. A function is asked each time. */
  readonly agents?:
    | Readonly<Record<string, NativeAgent>>
    | (() => Readonly<Record<string, NativeAgent>>)
    | undefined;
  /** Names of models for clients, and the models that they stand for. A function is asked each time. */
  readonly models?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>>)
    | undefined;
  /**
   * Whether clients that may control can prompt, interrupt and close every session of the program, also those that
   * were not given to `register()`. It is for tools of the program's own user, and never for tenants.
   * @default false
   */
  readonly controlsProgram?: boolean | undefined;
  /**
   * Whether the sessions and calls of this program are events.
   * @default true
   */
  readonly watchesProgram?: boolean | undefined;
  /**
   * The number of the gateway that mounts the API. Then only its requests are events.
   * @default the requests of all gateways of the program are events
   */
  readonly gateway?: number | undefined;
  /** Where transcripts are, beside the configuration folders of the agents. */
  readonly transcripts?: TranscriptPlace | undefined;
  /**
   * Finds the user of a request that did not come through a gateway. It can throw a `RequestError`.
   * @default one user who may do everything
   */
  readonly access?: ((request: Request) => NativeAccess) | undefined;
  /** How many events are kept for clients that were away. */
  readonly log?: EventLogOptions | undefined;
  /** Texts to replace by `***` in everything that is shown, beside what looks like a secret. */
  readonly secrets?: Iterable<string> | undefined;
  /**
   * How many sessions of one tenant may be open.
   * @default 20
   */
  readonly maxSessions?: number | undefined;
  /**
   * A session of the API without a turn for this time is closed.
   * @default 30 minutes
   */
  readonly sessionIdleMs?: number | undefined;
  /**
   * How often a stream without events gets a sign of life.
   * @default 15_000
   */
  readonly heartbeatMs?: number | undefined;
  /**
   * The largest request body, in bytes.
   * @default 32 MiB
   */
  readonly bodyLimit?: number | undefined;
  /**
   * Told of faults of the API itself: an event that it could not translate, an unexpected error of a request.
   * @default a warning of the process
   */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** The native API: sessions, turns, runs, approvals and events over HTTP. */
export interface NativeApi {
  /** The application, with its routes below `/hawser/v1`. A gateway mounts it. */
  readonly app: Hono<NativeEnv>;
  /** The application as a handler that mounts in any framework. */
  fetch(request: Request): Promise<Response>;
  /**
   * Lets clients prompt, interrupt and close a session of the program. Without this they only see it. Returns a
   * function that takes it back.
   */
  register(session: Session): () => void;
  /** Replaces secrets in a text by `***`, as in everything that the API shows. */
  readonly mask: (text: string) => string;
  /** How many turns that clients have sent run or wait, also those whose client does not wait for the answer. */
  readonly runningTurns: number;
  /**
   * Closes the sessions that clients have opened, and stops watching. A turn that runs ends with the event
   * `turn.end`, whose `reason` is `draining`. Streams of events end after it.
   */
  close(): Promise<void>;
}

/**
 * Creates the native API. It watches the whole program from now on, so that clients can get the events of the time
 * before they connected.
 *
 * @example
 * ```ts
 * import { createNativeApi } from "@hawser/gateway";
 * import { createApprovals, openSession } from "hawser";
 *
 * const approvals = createApprovals();
 * const api = createNativeApi({ approvals });
 * const session = await openSession({ canUseTool: approvals.canUseTool });
 * api.register(session);
 * const response = await api.fetch(new Request("http://localhost/hawser/v1/state"));
 * ```
 */
export function createNativeApi(options: NativeApiOptions = {}): NativeApi {
  const { agents = {}, models = {}, pool, access = () => LOCAL_ACCESS, onFault = warn } = options;
  const approvals = [options.approvals ?? []].flat();
  const secrets = new SecretMask(process.env, options.secrets);
  const { mask } = secrets;
  const agentsNow = typeof agents === "function" ? agents : () => agents;
  const modelsNow = typeof models === "function" ? models : () => models;
  const { fleet, hasPool = true } = options;
  const places = { hasPool, hasFleet: fleet !== undefined };
  const feed = new EventFeed({
    ...options.log,
    approvals,
    mask,
    gateway: options.gateway,
    watchesProgram: options.watchesProgram ?? true,
    onFault,
  });
  const { owners } = feed;
  const sessions = new ApiSessions(feed, {
    pool,
    approvals: approvals[0],
    agents: agentsNow,
    runsOnFleet: (agent) => runsOnFleet(agent, places),
    models: modelsNow,
    controlsProgram: options.controlsProgram ?? false,
    maxSessions: options.maxSessions ?? 20,
    idleMs: options.sessionIdleMs ?? 30 * 60_000,
  });
  const core: NativeCore = {
    feed,
    sessions,
    stored: new StoredSessions({
      owners,
      agents: agentsNow,
      transcripts: options.transcripts,
      mask,
    }),
    questions: [
      ...approvals.map((each) => localApprovals(each, feed)),
      ...(fleet === undefined ? [] : [fleetApprovals(fleet)]),
    ],
    pool,
    fleet,
    hasPool,
    streams: new StreamLimit(),
    agents: agentsNow,
    models: modelsNow,
    mask,
    heartbeatMs: options.heartbeatMs ?? 15_000,
  };

  const app = new Hono<NativeEnv>().basePath("/hawser/v1");
  app.use(async (context, next) => {
    const user = context.get("exchange")?.tenant ?? access(context.req.raw);
    if (user.options !== undefined) secrets.learn(user.options);
    context.set("access", user);
    await next();
  });
  app.get("/access", (context) => {
    const { name, isAdmin, canControl } = context.get("access");
    return context.json({ name, isAdmin, canControl });
  });
  const limited = bodyLimit({
    maxSize: options.bodyLimit ?? 32 * 2 ** 20,
    onError: () => {
      throw new RequestError("request_too_large", "The body is larger than the limit.");
    },
  });
  // A gateway has read the body already, within its own limit.
  app.use((context, next) =>
    context.get("exchange") === undefined ? limited(context, next) : next(),
  );
  const parts = [eventRoutes, failureRoutes, sessionRoutes, runRoutes, fleetRoutes, approvalRoutes];
  for (const routes of parts) app.route("/", routes(core));
  // A gateway that mounts the application has its own answer for unknown addresses.
  app.notFound((context) =>
    nativeErrorResponse(new RequestError("not_found", "There is no such address."), context),
  );
  app.onError((error, context) => {
    const response = nativeErrorResponse(error, context);
    if (response.status === 500) onFault(error);
    return response;
  });

  return {
    app,
    async fetch(request) {
      return await app.fetch(keepRequest(request));
    },
    register: (session) => sessions.register(session),
    mask,
    get runningTurns() {
      return sessions.runningTurns;
    },
    async close() {
      feed.isDraining = true;
      await sessions.closeAll();
      feed.close();
    },
  };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
