import type { ReadableStream as NodeStream } from "node:stream/web";
import { Hono } from "hono";
import { z } from "zod";
import { RequestError } from "../errors/request-error.js";
import type { LoggedEvent } from "./event-log.js";
import { EVENT_FIELDS } from "./event-shape.js";
import { EventStream } from "./event-stream.js";
import type { Snapshot } from "./live-state.js";
import { maySee, type NativeAccess, type NativeEnv } from "./native-access.js";
import type { NativeCore } from "./native-core.js";
import { notFound } from "./native-error.js";
import { readQuery } from "./read-input.js";

/** `GET /events`, `GET /events/:id` and `GET /state`. */
export function eventRoutes(core: NativeCore): Hono<NativeEnv> {
  const { feed, heartbeatMs, pool } = core;
  const routes = new Hono<NativeEnv>();

  const stateFor = (access: NativeAccess, sessions?: ReadonlySet<string>): object => ({
    ...visible(feed.state.snapshot(), access, sessions),
    ...(access.isAdmin && pool !== undefined && { pool: pool.stats() }),
  });

  routes.get("/state", (context) => {
    const id = feed.log.idOf(feed.log.last);
    return context.json({ id, ...stateFor(context.get("access")) });
  });

  routes.get("/events", (context) => {
    const access = context.get("access");
    const query = readQuery(context, QUERY);
    const sessions = query.session === undefined ? undefined : listOf(query.session);
    const kinds = query.kinds === undefined ? undefined : listOf(query.kinds);
    refuseUnknownKinds(kinds);
    const isWanted = (event: LoggedEvent): boolean =>
      maySee(access, event.visibleTo) && fits(event, sessions) && isKind(event.kind, kinds);
    const exchange = context.get("exchange");
    const closeStream = core.streams.open(access.name);
    const stream = new EventStream({
      log: feed.log,
      // An EventSource sends the header when it connects again, with the same address as before.
      after: context.req.header("last-event-id") ?? query.after,
      isWanted,
      snapshot: () => stateFor(access, sessions),
      signal: exchange?.signal ?? context.req.raw.signal,
      heartbeatMs,
      onEnd: () => {
        closeStream();
        exchange?.end();
      },
    });
    const body: NodeStream<Uint8Array> = new ReadableStream(stream, { highWaterMark: 0 });
    return new Response(body as ReadableStream<Uint8Array>, {
      headers: {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache, no-transform",
        // Otherwise nginx would collect the events before it passes them on.
        "x-accel-buffering": "no",
      },
    });
  });

  routes.get("/events/:id", (context) => {
    const number = feed.log.numberOf(context.req.param("id"));
    const event = number === undefined ? undefined : feed.log.get(number);
    if (event === undefined || !maySee(context.get("access"), event.visibleTo)) {
      throw notFound("event, or it is not kept any more");
    }
    const { whole, json } = event;
    return whole === undefined
      ? context.body(json, 200, { "content-type": "application/json" })
      : context.json(whole() as object);
  });

  return routes;
}

const QUERY = z.strictObject({
  after: z.string().optional(),
  session: z.string().optional(),
  kinds: z.string().optional(),
});

/** What a tenant may see of the state. */
function visible(
  { sessions, approvals, calls, requests, pauses }: Snapshot,
  access: NativeAccess,
  only: ReadonlySet<string> | undefined,
): Snapshot {
  const isWanted = (one: { session?: string | undefined; sessionId?: string | undefined }) =>
    fits({ session: one.session, sessionId: one.sessionId }, only);
  return {
    sessions: sessions.filter(
      (each) =>
        maySee(access, each.call === undefined ? each.tenant : undefined) &&
        isWanted({ session: each.id, sessionId: each.sessionId }),
    ),
    approvals: approvals.filter((each) => maySee(access, each.tenant) && isWanted(each)),
    calls: access.isAdmin && only === undefined ? calls : [],
    requests: only === undefined ? requests.filter((each) => maySee(access, each.tenant)) : [],
    pauses: access.isAdmin && only === undefined ? pauses : [],
  };
}

function fits(
  { session, sessionId }: Pick<LoggedEvent, "session" | "sessionId">,
  only: ReadonlySet<string> | undefined,
): boolean {
  if (only === undefined) return true;
  return (
    (session !== undefined && only.has(session)) || (sessionId !== undefined && only.has(sessionId))
  );
}

function listOf(text: string): ReadonlySet<string> {
  return new Set(text.split(",").map((each) => each.trim()));
}

/** Whether a kind or its part before the dot is among the kinds. */
function isKind(kind: string, kinds: ReadonlySet<string> | undefined): boolean {
  return kinds === undefined || kinds.has(kind) || kinds.has(groupOf(kind));
}

function groupOf(kind: string): string {
  return kind.slice(0, kind.indexOf("."));
}

function refuseUnknownKinds(kinds: ReadonlySet<string> | undefined): void {
  for (const kind of kinds ?? []) {
    if (KNOWN.has(kind)) continue;
    throw new RequestError(
      "invalid_request",
      `kinds: there are no events of the kind ${JSON.stringify(kind)}. Kinds are ${[...KNOWN].join(", ")}.`,
      { param: "kinds" },
    );
  }
}

const KNOWN: ReadonlySet<string> = new Set(
  Object.keys(EVENT_FIELDS).flatMap((kind) => [groupOf(kind), kind]),
);
