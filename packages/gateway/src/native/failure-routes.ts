import { Hono } from "hono";
import type { EventLog, LoggedEvent } from "./event-log.js";
import type { NativeEvent } from "./event-shape.js";
import type { Failure } from "./failure-log.js";
import { maySee, type NativeAccess, type NativeEnv } from "./native-access.js";
import type { NativeCore } from "./native-core.js";
import { notFound } from "./native-error.js";

/** `GET /failures` and `GET /failures/:id`. */
export function failureRoutes({ feed }: NativeCore): Hono<NativeEnv> {
  const routes = new Hono<NativeEnv>();
  const failuresFor = (access: NativeAccess) =>
    feed.failures.list((visibleTo) => maySee(access, visibleTo));

  routes.get("/failures", (context) =>
    context.json({ failures: failuresFor(context.get("access")) }),
  );

  routes.get("/failures/:id", (context) => {
    const access = context.get("access");
    const id = context.req.param("id");
    const failure = failuresFor(access).find((each) => each.id === id);
    if (failure === undefined) throw notFound("failure, or it is not kept any more");
    const isVisible = ({ visibleTo }: LoggedEvent) => maySee(access, visibleTo);
    return context.json({ failure, trace: traceOf(failure, feed.log, isVisible) });
  });

  return routes;
}

const MOST_TRACED = 200;

/** What happened in the same session or call before the failure, as far as it is kept; the oldest first. */
function traceOf(
  failure: Failure,
  log: EventLog,
  isVisible: (event: LoggedEvent) => boolean,
): readonly NativeEvent[] {
  const trace: NativeEvent[] = [];
  let number = log.numberOf(failure.id) ?? 0;
  for (; number >= log.oldest && trace.length < MOST_TRACED; number -= 1) {
    const logged = log.get(number);
    if (logged === undefined || !isVisible(logged)) continue;
    const event = related(logged, failure);
    if (event !== undefined) trace.push(event);
  }
  return trace.reverse();
}

function related(logged: LoggedEvent, { session, call }: Failure): NativeEvent | undefined {
  const isOfSession = session !== undefined && logged.session === session;
  // Most events are of other calls, so that not each of them is parsed.
  if (!isOfSession && !logged.json.includes(`"call":${call}`)) return undefined;
  const event = JSON.parse(logged.json) as NativeEvent;
  return isOfSession || event.call === call ? event : undefined;
}
