import { Hono } from "hono";
import { RequestError } from "../errors/request-error.js";
import type { GatewayFleet } from "../fleet/gateway-fleet.js";
import type { NativeEnv } from "./native-access.js";
import type { NativeCore } from "./native-core.js";
import { requireFleet, shownValue } from "./run-routes.js";

/** `GET /fleet`: the hosts, runs, tenants and accounts of the fleet, for admins. */
export function fleetRoutes(core: NativeCore): Hono<NativeEnv> {
  const routes = new Hono<NativeEnv>();
  let newest: { readonly readAt: number; readonly state: Promise<object> } | undefined;

  routes.get("/fleet", async (context) => {
    const fleet = requireFleet(core);
    if (!context.get("access").isAdmin) {
      throw new RequestError("not_allowed", "The state of the fleet is for admins.");
    }
    // All clients together ask the database once a second, because it counts the runs each time.
    const now = performance.now();
    if (newest === undefined || now - newest.readAt > FRESH_MS) {
      newest = { readAt: now, state: readFleet(fleet) };
    }
    return context.json(shownValue(await newest.state, core.mask));
  });

  return routes;
}

const FRESH_MS = 1000;

async function readFleet(fleet: GatewayFleet): Promise<object> {
  if (fleet.stats === undefined) {
    throw new RequestError("not_found", "This fleet does not tell its state.");
  }
  const [stats, tenants] = await Promise.all([fleet.stats(), fleet.tenants?.list() ?? []]);
  return { at: Date.now(), ...stats, tenants };
}
