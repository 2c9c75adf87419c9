import { Hono } from "hono";
import type { GatewayCore } from "../gateway-core.js";
import type { Env } from "../http/exchange.js";

/** The routes of the Messages API. */
export function anthropicRoutes(_core: GatewayCore): Hono<Env> {
  return new Hono<Env>();
}
