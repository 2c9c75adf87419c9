import type { Pool } from "hawser";
import { Hono } from "hono";
import { RequestError } from "../errors/request-error.js";
import { keysOf } from "../tenants/api-key.js";
import type { Tenant } from "../tenants/tenant.js";
import type { Env } from "./exchange.js";
import type { Metrics } from "./metrics.js";
import { openapiDocument } from "./openapi.js";
import { GATEWAY_VERSION } from "./package-version.js";

/** Whether requests can be answered, and if not, why. */
export interface Readiness {
  readonly isReady: boolean;
  readonly reason?: "draining" | "no_process" | undefined;
  /** Why, in words. It can name folders of the server, so only an admin with a key sees it. */
  readonly detail?: string | undefined;
}

export interface OperationFacts {
  readonly metrics: Metrics;
  pools(): Iterable<Pool>;
  openRequests(): number;
  readiness(): Promise<Readiness>;
  authenticate(headers: Headers): Tenant;
}

/**
 * `/health` and `/openapi.json` for everybody; `/ready` for everybody, with its detail for admins; `/metrics` for
 * admins.
 */
export function operationRoutes(facts: OperationFacts): Hono<Env> {
  const app = new Hono<Env>();
  app.get("/health", (c) => c.json({ status: "ok", version: GATEWAY_VERSION }));
  app.get("/ready", async (c) => {
    const { isReady, reason, detail } = await facts.readiness();
    if (isReady) return c.json({ status: "ready" });
    const shown = hasAdminKey(c.req.raw.headers, facts) ? { detail } : {};
    return c.json({ status: "not_ready", reason, ...shown }, 503);
  });
  app.get("/metrics", (c) => {
    if (!facts.authenticate(c.req.raw.headers).isAdmin) {
      throw new RequestError(
        "not_allowed",
        "The metrics show all tenants. Set `admin: true` for this tenant to permit it.",
      );
    }
    const text = facts.metrics.render(facts.pools(), facts.openRequests());
    return c.text(text, 200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
  });
  app.get("/openapi.json", (c) => c.json(openapiDocument(GATEWAY_VERSION)));
  return app;
}

/** A load balancer sends no key, also where none is needed. */
function hasAdminKey(headers: Headers, { authenticate }: OperationFacts): boolean {
  if (keysOf(headers).length === 0) return false;
  try {
    return authenticate(headers).isAdmin;
  } catch {
    return false;
  }
}
