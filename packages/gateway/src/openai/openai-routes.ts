import { Hono } from "hono";
import type { GatewayCore } from "../gateway-core.js";
import type { Env } from "../http/exchange.js";
import { chatRoutes } from "./chat/chat-routes.js";
import { responsesRoutes } from "./responses/responses-routes.js";

/** The routes of the OpenAI formats. */
export function openaiRoutes(core: GatewayCore): Hono<Env> {
  const app = new Hono<Env>();
  app.route("/", chatRoutes(core));
  app.route("/", responsesRoutes(core));
  return app;
}
