import type { Answer } from "hawser/answer";
import { Hono } from "hono";
import { openaiErrorBody } from "../../errors/openai-error.js";
import { problemOf } from "../../errors/problem.js";
import type { GatewayCore } from "../../gateway-core.js";
import { answerHeaders } from "../../http/answer-headers.js";
import type { Env } from "../../http/exchange.js";
import { readJson } from "../../http/read-json.js";
import { type SseEvent, sseResponse } from "../../http/sse.js";
import { parseChatBody } from "./chat-body.js";
import { ChatAnswer } from "./chat-completion.js";
import { translateChat } from "./translate-chat.js";

/** `POST /v1/chat/completions` */
export function chatRoutes(core: GatewayCore): Hono<Env> {
  const app = new Hono<Env>();
  app.post("/v1/chat/completions", async (c) => {
    const exchange = c.get("exchange");
    const files = core.filesFor(exchange);
    const { request, ignored, isStreamed, includesUsage, toolSet } = translateChat(
      parseChatBody(await readJson(c)),
      core.hostedTools,
      files,
    );
    const { record } = exchange;
    record.isStreamed = isStreamed;
    record.ignored = ignored;
    const created = Math.floor(Date.now() / 1000);
    const chat = new ChatAnswer({ toolSet, includesUsage, created });
    const answer = await core.answer(exchange, request, files);
    if (!isStreamed) {
      for await (const event of answer) chat.push(event);
      return c.json(chat.completion(), 200, answerHeaders(ignored, record.costUsd));
    }
    return sseResponse(exchange, chunkEvents(answer, chat), {
      heartbeat: "comment",
      heartbeatMs: core.heartbeatMs,
      headers: answerHeaders(ignored),
      failure: (error) => {
        return { data: JSON.stringify(openaiErrorBody(problemOf(error, true))) };
      },
    });
  });
  return app;
}

/** `[DONE]` says that the answer is whole, so an answer that fails does not reach it. */
async function* chunkEvents(answer: Answer, chat: ChatAnswer): AsyncGenerator<SseEvent, void> {
  for await (const event of answer) {
    for (const chunk of chat.push(event)) yield { data: JSON.stringify(chunk) };
  }
  yield { data: "[DONE]" };
}
