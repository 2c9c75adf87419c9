import { type Answer, wholeAnswer } from "hawser/answer";
import { type Context, Hono } from "hono";
import { estimateTokens } from "../answer/estimate-tokens.js";
import { anthropicErrorBody } from "../errors/anthropic-error.js";
import { problemOf } from "../errors/problem.js";
import { RequestError } from "../errors/request-error.js";
import type { GatewayCore } from "../gateway-core.js";
import { answerHeaders } from "../http/answer-headers.js";
import type { Env, Exchange } from "../http/exchange.js";
import { readJson } from "../http/read-json.js";
import { type SseEvent, sseResponse } from "../http/sse.js";
import { messageEvents, messageObject, PING } from "./message-object.js";
import { translateMessages } from "./translate-messages.js";

/** The routes of the Messages API. */
export function anthropicRoutes(core: GatewayCore): Hono<Env> {
  const app = new Hono<Env>();
  app.post("/v1/messages", (c) => createMessage(core, c));
  app.post("/v1/messages/count_tokens", (c) => countTokens(core, c));
  return app;
}

async function createMessage(core: GatewayCore, c: Context<Env>): Promise<Response> {
  const exchange = c.get("exchange");
  const { record } = exchange;
  const { hostedTools } = core;
  const files = core.filesFor(exchange);
  const translated = translateMessages(await readJson(c), { files, hostedTools });
  const { request, isStreamed } = translated;
  const ignored = [...translated.ignored, ...ignoredHeaders(c)];
  record.isStreamed = isStreamed;
  record.ignored = ignored;
  const answer = await core.answer(exchange, request, files);
  if (isStreamed) return streamedMessage(core, exchange, answer, ignored);
  const whole = await wholeAnswer(answer);
  return c.json(messageObject(whole), 200, answerHeaders(ignored, whole.costUsd));
}

function streamedMessage(
  { heartbeatMs }: GatewayCore,
  exchange: Exchange,
  answer: Answer,
  ignored: readonly string[],
): Response {
  return sseResponse(exchange, eventsOf(answer), {
    heartbeat: PING,
    heartbeatMs,
    headers: answerHeaders(ignored),
    failure: (error) => {
      const body = anthropicErrorBody(problemOf(error, true), exchange.id);
      return { event: "error", data: JSON.stringify(body) };
    },
  });
}

async function* eventsOf(answer: Answer): AsyncGenerator<SseEvent, undefined> {
  for await (const event of answer) yield* messageEvents(event);
}

/** Features that a client switches on by header, which the CLI decides on itself. */
function ignoredHeaders(c: Context): readonly string[] {
  return c.req.header("anthropic-beta") === undefined ? [] : ["anthropic-beta"];
}

async function countTokens(core: GatewayCore, c: Context<Env>): Promise<Response> {
  if (!core.countTokens) {
    const message =
      "This gateway does not count tokens, because the CLI cannot. Set `countTokens: true` in its configuration for an estimate.";
    throw new RequestError("not_found", message);
  }
  const { request } = translateMessages(await readJson(c), { hostedTools: core.hostedTools });
  const headers = { "x-hawser-estimate": "true" };
  return c.json({ input_tokens: estimateTokens(request) }, 200, headers);
}
