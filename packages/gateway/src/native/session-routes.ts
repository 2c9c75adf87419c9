import type { Prompt } from "hawser";
import { type Context, Hono } from "hono";
import { z } from "zod";
import { RequestError } from "../errors/request-error.js";
import { runsOnFleet } from "../fleet/fleet-agent.js";
import { type NativeAgent, outcomeOf } from "./api-sessions.js";
import { type CutLimits, cutValue } from "./cut-value.js";
import type { LiveSession } from "./live-state.js";
import { maySee, type NativeAccess, type NativeEnv, requireControl } from "./native-access.js";
import { OPEN_BODY, TURN_BODY } from "./native-bodies.js";
import type { NativeCore } from "./native-core.js";
import { notFound } from "./native-error.js";
import { readBody, readQuery } from "./read-input.js";
import type { StoredMessage } from "./stored-sessions.js";
import { excerptOf } from "./transcript-search.js";

/** `/sessions` and what is below it, and `GET /agents`. */
export function sessionRoutes(core: NativeCore): Hono<NativeEnv> {
  const { feed, sessions, stored, mask } = core;
  const routes = new Hono<NativeEnv>();

  const find = (access: NativeAccess, id: string): LiveSession | undefined => {
    const candidates = [feed.state.session(id), ...feed.state.sessionsOf(id).toReversed()];
    return candidates.find((each) => each !== undefined && isVisible(access, each));
  };
  const require = (access: NativeAccess, id: string): LiveSession => {
    const live = find(access, id);
    if (live === undefined) throw notFound("live session");
    return live;
  };
  const places = { hasPool: core.hasPool, hasFleet: core.fleet !== undefined };
  const isOnFleet = (agent: NativeAgent) => runsOnFleet(agent, places);
  const shown = (live: LiveSession): object => ({
    ...live,
    isControllable: sessions.canControl(live),
  });

  routes.get("/agents", (context) => {
    const access = context.get("access");
    const agents = Object.entries(core.agents())
      .filter(([name]) => access.mayUse?.(`agent:${name}`) !== false)
      .map(([name, definition]) => [name, definition.description, isOnFleet(definition)] as const)
      .map(([name, description, onFleet]) => ({
        name,
        ...(onFleet && { runOn: "fleet" }),
        ...(description !== undefined && { description }),
      }));
    return context.json({ agents });
  });

  routes.get("/sessions", async (context) => {
    const access = context.get("access");
    const query = readQuery(context, LIST);
    const live = feed.state.snapshot().sessions.filter((each) => isVisible(access, each));
    if (query.q !== undefined) {
      const found = await stored.search(access, {
        wanted: query.q.toLowerCase(),
        limit: query.limit,
        signal: context.get("exchange")?.signal ?? context.req.raw.signal,
      });
      const hits = found.hits.map((hit) => masked(hit, mask));
      return context.json({ ...found, hits });
    }
    if (query.stored !== "1") return context.json({ sessions: live.map(shown) });
    const { limit, offset, before } = query;
    const { infos, next } = await stored.list(access, { limit, offset, before });
    return context.json({
      sessions: live.map(shown),
      stored: infos.map((info) => masked(info, mask)),
      ...(next !== undefined && { next }),
    });
  });

  routes.post("/sessions", async (context) => {
    const access = requireControl(context);
    const { agent, model, resume } = await readBody(context, OPEN_BODY);
    const earlier = resume === undefined ? undefined : await stored.find(access, resume);
    if (resume !== undefined && earlier === undefined) {
      throw new RequestError("not_found", "resume: there is no such session.", { param: "resume" });
    }
    const id = await sessions.open(access, { agent, model, resume, cwd: earlier?.info.cwd });
    return context.json({ session: shown(require(access, id)) }, 201);
  });

  routes.get("/sessions/:id", async (context) => {
    const access = context.get("access");
    const id = context.req.param("id");
    const live = find(access, id);
    if (live !== undefined) return context.json({ session: shown(live) });
    const found = await stored.find(access, id);
    if (found === undefined) throw notFound("session");
    return context.json({ stored: masked(found.info, mask) });
  });

  routes.get("/sessions/:id/messages", async (context) => {
    const access = context.get("access");
    const { limit, offset, q, all } = readQuery(context, PAGE);
    const id = context.req.param("id");
    const sessionId = find(access, id)?.sessionId ?? id;
    const messages = await stored.messages(access, sessionId, all === "1");
    if (messages === undefined) {
      throw new RequestError("not_found", "There is no transcript of such a session on disk.");
    }
    const wanted = q?.toLowerCase();
    const numbered = messages.map((message, index) => ({ index, message }));
    const hits =
      wanted === undefined
        ? numbered
        : numbered.filter(({ message: { message } }) => excerptOf(message, { wanted, mask }));
    const page = hits.slice(offset, offset + limit);
    return context.json({
      sessionId,
      total: hits.length,
      offset,
      messages: page.map(({ index, message }) => shownMessage(index, message, mask)),
    });
  });

  routes.post("/sessions/:id/turns", async (context) => {
    const access = requireControl(context);
    const { wait } = readQuery(context, WAIT);
    const live = require(access, context.req.param("id"));
    const { prompt } = await readBody(context, TURN_BODY);
    const turn = sessions.send(live, prompt as Prompt, access);
    context.get("exchange")?.keepBodyFor(turn.result);
    if (wait !== "1") return context.json({ turn: turn.uuid }, 202);
    // The turn goes on if the client leaves. `interrupt` ends it.
    return context.json(await outcomeOf(turn));
  });

  routes.post("/sessions/:id/interrupt", async (context) => {
    const live = require(requireControl(context), context.req.param("id"));
    await sessions.interrupt(live);
    return context.json({ result: "interrupted" });
  });

  routes.post("/sessions/:id/close", async (context) => {
    const live = require(requireControl(context), context.req.param("id"));
    await sessions.close(live);
    return context.json({ result: "closed" });
  });

  routes.post("/sessions/:id/fork", async (context) => {
    const access = requireControl(context);
    const fork = await stored.fork(access, storedId(context, find(access, idOf(context))));
    if (fork === undefined) throw notFound("session on disk");
    return context.json({ sessionId: fork.sessionId }, 201);
  });

  routes.delete("/sessions/:id", async (context) => {
    const access = requireControl(context);
    const live = find(access, idOf(context));
    if (live !== undefined && live.status !== "ended") await sessions.close(live);
    const isDeleted = await stored.delete(access, storedId(context, live));
    if (live === undefined && !isDeleted) throw notFound("session");
    return context.json({ result: isDeleted ? "deleted" : "closed" });
  });

  return routes;
}

const LIST = z.strictObject({
  stored: z.enum(["0", "1"]).optional(),
  q: z.string().min(1).max(1000).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).default(0),
  before: z.string().max(200).optional(),
});

const PAGE = z.strictObject({
  all: z.enum(["0", "1"]).optional(),
  q: z.string().min(1).max(1000).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(200),
  offset: z.coerce.number().int().min(0).default(0),
});

const WAIT = z.strictObject({ wait: z.enum(["0", "1"]).optional() });

/** A message of a transcript is shown with its texts up to these lengths. */
const MESSAGE_LIMITS: CutLimits = { text: 200_000, total: 400_000, entries: 10_000, depth: 32 };

function isVisible(access: NativeAccess, { tenant, call }: LiveSession): boolean {
  // The session of a call belongs to the inside of another endpoint.
  return maySee(access, call === undefined ? tenant : undefined);
}

function idOf(context: Context<NativeEnv>): string {
  return context.req.param("id") ?? "";
}

function storedId(context: Context<NativeEnv>, live: LiveSession | undefined): string {
  return live?.sessionId ?? idOf(context);
}

function shownMessage(
  index: number,
  message: StoredMessage,
  mask: (text: string) => string,
): object {
  const { message: content, origin, ...facts } = message;
  const { value, cut } = cutValue(content, "message", mask, MESSAGE_LIMITS);
  return {
    index,
    ...facts,
    ...(origin !== undefined && { origin: cutValue(origin, "origin", mask).value }),
    message: value,
    ...(cut.length > 0 && { cut }),
  };
}

function masked(value: object, mask: (text: string) => string): object {
  return cutValue(value, "", mask, MESSAGE_LIMITS).value as object;
}
