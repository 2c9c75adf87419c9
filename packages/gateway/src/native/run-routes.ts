import { isHawserError, type Prompt } from "hawser";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { RequestError } from "../errors/request-error.js";
import { type FleetAgent, fleetAgentOf, runsOnFleet } from "../fleet/fleet-agent.js";
import type {
  FleetRun,
  FleetRunEvent,
  FleetRunInfo,
  FleetRunRequest,
  FleetRunState,
  GatewayFleet,
} from "../fleet/gateway-fleet.js";
import { RUN_STATES } from "../fleet/gateway-fleet.js";
import type { SseEvent } from "../http/sse.js";
import { clientModel } from "./client-model.js";
import { type CutLimits, cutValue } from "./cut-value.js";
import { maySee, type NativeAccess, type NativeEnv, requireControl } from "./native-access.js";
import { RUN_BODY } from "./native-bodies.js";
import type { NativeCore } from "./native-core.js";
import { notFound } from "./native-error.js";
import { readBody, readQuery } from "./read-input.js";
import { subscription } from "./subscription.js";

/** `/runs` and what is below it: the runs of the fleet. */
export function runRoutes(core: NativeCore): Hono<NativeEnv> {
  const { mask } = core;
  const routes = new Hono<NativeEnv>();

  const find = async (context: Context<NativeEnv>): Promise<FoundRun> => {
    const fleet = requireFleet(core);
    const id = context.req.param("id") ?? "";
    const run = UUID.test(id) ? fleet.run(id.toLowerCase()) : undefined;
    const info = await run?.info().catch(undefinedIfUnknown);
    // The run of another tenant is treated as if it did not exist.
    if (run === undefined || info === undefined || !maySee(context.get("access"), info.tenant)) {
      throw notFound("run");
    }
    return { run, info };
  };
  const shown = (info: FleetRunInfo): object => shownValue(info, mask);

  routes.post("/runs", async (context) => {
    const access = requireControl(context);
    const fleet = requireFleet(core);
    const { prompt, ...body } = await readBody(context, RUN_BODY);
    const options = runOptions(core, access, body);
    // The money of a run is limited by the fleet, because the run may end when this server is gone.
    const admission = access.admit?.();
    try {
      const run = await fleet.submit(prompt as Prompt, options);
      return context.json({ run: shown(await run.info()) }, 201);
    } finally {
      admission?.settle();
    }
  });

  routes.get("/runs", async (context) => {
    const access = context.get("access");
    const fleet = requireFleet(core);
    const { tenant, state, session, limit } = readQuery(context, LIST);
    if (tenant !== undefined && !maySee(access, tenant)) return context.json({ runs: [] });
    const owner = tenant ?? (access.isAdmin ? undefined : access.name);
    const runs: object[] = [];
    const filter = {
      ...(owner === undefined ? {} : { tenant: owner }),
      ...(state === undefined ? {} : { state: statesOf(state) }),
      ...(session === undefined ? {} : { session }),
      limit,
    };
    for await (const info of fleet.runs(filter)) runs.push(shown(info));
    return context.json({ runs });
  });

  routes.get("/runs/:id", async (context) => {
    const { info } = await find(context);
    return context.json({ run: shown(info) });
  });

  routes.get("/runs/:id/events", async (context) => {
    const { run, info } = await find(context);
    const after = afterOf(context);
    // An EventSource connects again after the last event. Without a body it knows that no more will come.
    const client = context.get("exchange")?.signal ?? context.req.raw.signal;
    if (info.endedAt !== undefined && !(await hasEventAfter(run, after, client))) {
      return context.body(null, 204);
    }
    return subscription(context, core, async function* (signal): AsyncGenerator<SseEvent, void> {
      for await (const event of run.events({ after, signal })) yield sseOf(event, mask);
    });
  });

  const cancel = async (context: Context<NativeEnv>): Promise<Response> => {
    const access = requireControl(context);
    const { run } = await find(context);
    const isCancelled = await run.cancel(`Cancelled by ${access.name}.`);
    const info = await run.info();
    if (isCancelled) return context.json({ result: "cancelled", run: shown(info) });
    const error = { code: "conflict", message: `The run has ended before: ${info.state}.` };
    return context.json({ error, run: shown(info) }, 409);
  };
  routes.post("/runs/:id/cancel", async (context) => cancel(context));
  routes.delete("/runs/:id", async (context) => cancel(context));

  routes.post("/runs/:id/retry", async (context) => {
    requireControl(context);
    const { run } = await find(context);
    const isQueued = await run.retry();
    const info = await run.info();
    if (isQueued) return context.json({ result: "queued", run: shown(info) });
    const error = { code: "conflict", message: `Only a run that failed can be tried again.` };
    return context.json({ error, run: shown(info) }, 409);
  });

  return routes;
}

interface FoundRun {
  readonly run: FleetRun;
  readonly info: FleetRunInfo;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const LIST = z.strictObject({
  tenant: z.string().min(1).max(200).optional(),
  state: z.string().optional(),
  session: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

/** The fleet of the API. Without one, there are no runs. */
export function requireFleet({ fleet }: Pick<NativeCore, "fleet">): GatewayFleet {
  if (fleet !== undefined) return fleet;
  throw new RequestError("not_found", "This server has no fleet, so it has no runs.");
}

function undefinedIfUnknown(error: unknown): undefined {
  const isUnknown =
    isHawserError(error, "invalid_options") && error.issues?.some(({ path }) => path === "id");
  if (isUnknown !== true) throw error;
  return undefined;
}

type RunBody = Omit<z.infer<typeof RUN_BODY>, "prompt">;

/** What travels with the run. Its options are those of the agent, so that a client cannot widen its rights. */
function runOptions(core: NativeCore, access: NativeAccess, body: RunBody): FleetRunRequest {
  const {
    agent: name,
    model,
    tenant,
    priority,
    fork,
    session,
    startAfter,
    deadline,
    ...rest
  } = body;
  const { profile, queue, options } = fleetAgent(core, access, name);
  if (tenant !== undefined && !maySee(access, tenant)) {
    throw new RequestError("not_allowed", "tenant: only an admin submits runs of other tenants.", {
      param: "tenant",
    });
  }
  if (priority === "high" && !access.isAdmin) {
    const message = "priority: high comes before the runs of all tenants, so it is for admins.";
    throw new RequestError("not_allowed", message, { param: "priority" });
  }
  if (fork === true && session === undefined) {
    throw new RequestError("invalid_request", "fork: there is no `session` to copy.", {
      param: "fork",
    });
  }
  return {
    ...options,
    ...withoutUndefined(rest),
    profile,
    tenant: tenant ?? access.name,
    ...(queue === undefined ? {} : { queue }),
    ...(priority === undefined ? {} : { priority }),
    ...(model === undefined ? {} : { model: clientModel(access, model, core.models()) }),
    ...(session === undefined ? {} : { session: fork === true ? { fork: session } : session }),
    ...(startAfter === undefined ? {} : { startAfter: new Date(startAfter) }),
    ...(deadline === undefined ? {} : { deadline: new Date(deadline) }),
  };
}

function fleetAgent(core: NativeCore, access: NativeAccess, name: string): FleetAgent {
  const agents = core.agents();
  const definition = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (definition === undefined || access.mayUse?.(`agent:${name}`) === false) {
    throw new RequestError("not_found", `There is no agent ${JSON.stringify(name)}.`, {
      param: "agent",
    });
  }
  if (runsOnFleet(definition, { hasPool: core.hasPool, hasFleet: true })) {
    return fleetAgentOf(name, definition);
  }
  const message = `agent: ${JSON.stringify(name)} runs on this server, not on the fleet. Open a session of it.`;
  throw new RequestError("invalid_request", message, { param: "agent" });
}

/** Without fields that are undefined, because the fleet refuses them. */
function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as ReturnType<typeof withoutUndefined<Fields>>;
}

function statesOf(text: string): FleetRunState[] {
  return text.split(",").map((name) => {
    const state = RUN_STATES.find((each) => each === name.trim());
    if (state !== undefined) return state;
    const message = `state: there is no state ${JSON.stringify(name)}. States are ${RUN_STATES.join(", ")}.`;
    throw new RequestError("invalid_request", message, { param: "state" });
  });
}

/** The number of the last event that the client has. */
export function afterOf(context: Context<NativeEnv>): number {
  // An EventSource sends the header when it connects again, with the same address as before.
  const text = context.req.header("last-event-id") ?? context.req.query("after") ?? "0";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new RequestError("invalid_request", "after: this is not the number of an event.", {
    param: "after",
  });
}

async function hasEventAfter(run: FleetRun, after: number, signal: AbortSignal): Promise<boolean> {
  for await (const _ of run.events({ after, signal })) return true;
  return false;
}

function sseOf(event: FleetRunEvent, mask: (text: string) => string): SseEvent {
  return { id: String(event.seq), data: JSON.stringify(shownValue(event, mask)) };
}

/** As JSON, with secrets masked. What is too long is cut, and its paths are named. */
export function shownValue(value: object, mask: (text: string) => string): object {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  const { value: shown, cut } = cutValue(plain, "", mask, RUN_LIMITS);
  return { ...(shown as object), ...(cut.length > 0 && { cut: cut.map((path) => path.slice(1)) }) };
}

/** As for the messages of a transcript. */
const RUN_LIMITS: CutLimits = { text: 200_000, total: 400_000, entries: 10_000, depth: 32 };
