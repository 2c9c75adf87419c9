import { Hono } from "hono";
import { RequestError } from "../../errors/request-error.js";
import type { GatewayCore } from "../../gateway-core.js";
import { answerHeaders } from "../../http/answer-headers.js";
import type { Env } from "../../http/exchange.js";
import { readJson } from "../../http/read-json.js";
import { type SseEvent, sseResponse } from "../../http/sse.js";
import { listItems } from "./list-items.js";
import type { ResponseEvent } from "./response-events.js";
import { createResponseId } from "./response-ids.js";
import { readInput } from "./response-input.js";
import { ResponseRun } from "./response-run.js";
import type { ResponseStore, StoredResponse } from "./response-store.js";
import { parseResponsesBody } from "./responses-body.js";
import { RunningResponses } from "./running-responses.js";
import { translateResponses } from "./translate-responses.js";

/**
 * `POST /v1/responses`, and the routes of a stored response. A response in progress can be cancelled on the same
 * gateway only, because the work on it is in this process.
 */
export function responsesRoutes(core: GatewayCore): Hono<Env> {
  const { responses: store } = core;
  const app = new Hono<Env>();
  const running = new RunningResponses();

  app.post("/v1/responses", async (c) => {
    const exchange = c.get("exchange");
    const { record, tenant } = exchange;
    const body = parseResponsesBody(await readJson(c));
    const id = createResponseId();
    const { earlier, input } = await readInput(store, tenant.name, id, body);
    const files = core.filesFor(exchange);
    const translated = translateResponses(body, earlier, input, core.hostedTools, files);
    const { ignored } = translated;
    record.isStreamed = body.stream === true;
    record.ignored = ignored;
    const facts = { exchange, id, body, translated, earlier, input, files };
    const run = new ResponseRun({ core, store, running, ...facts });
    const events = await run.begin();
    if (body.stream !== true) {
      for await (const _ of events);
      return c.json(run.response, 200, answerHeaders(ignored, record.costUsd));
    }
    return sseResponse(exchange, namedEvents(events), {
      // Not the event `keepalive`, because OpenAI's client refuses it before `response.created`.
      heartbeat: "comment",
      heartbeatMs: core.heartbeatMs,
      headers: answerHeaders(ignored),
    });
  });

  app.get("/v1/responses/:id", async (c) => {
    if (c.req.query("stream") === "true") {
      const text = "`stream`: a stored response cannot be streamed. Leave it out.";
      throw new RequestError("invalid_request", text, { param: "stream" });
    }
    const { tenant } = c.get("exchange");
    const id = c.req.param("id");
    const current = running.get(tenant.name, id)?.stored();
    return c.json(current ?? (await storedResponse(store, tenant.name, id)).response);
  });

  app.delete("/v1/responses/:id", async (c) => {
    const { tenant } = c.get("exchange");
    const id = c.req.param("id");
    if (!(await store.delete(tenant.name, id))) throw unknownResponse(id);
    return c.json({ id, object: "response", deleted: true });
  });

  app.post("/v1/responses/:id/cancel", async (c) => {
    const { tenant } = c.get("exchange");
    const id = c.req.param("id");
    const run = running.get(tenant.name, id);
    if (run !== undefined) return c.json(await run.cancel());
    // A response that has ended stays as it is.
    return c.json((await storedResponse(store, tenant.name, id)).response);
  });

  app.get("/v1/responses/:id/input_items", async (c) => {
    const { tenant } = c.get("exchange");
    const { input } = await storedResponse(store, tenant.name, c.req.param("id"));
    return c.json(listItems(input, c.req.query()));
  });

  return app;
}

async function* namedEvents(events: AsyncIterable<ResponseEvent>): AsyncGenerator<SseEvent, void> {
  for await (const event of events) yield { event: event.type, data: JSON.stringify(event) };
}

async function storedResponse(
  store: ResponseStore,
  tenant: string,
  id: string,
): Promise<StoredResponse> {
  const stored = await store.get(tenant, id);
  if (stored === undefined) throw unknownResponse(id);
  return stored;
}

function unknownResponse(id: string): RequestError {
  const text = `There is no response "${id}". It may have been deleted or not stored, or its time is over.`;
  return new RequestError("not_found", text, { param: "response_id" });
}
