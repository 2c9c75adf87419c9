import { Hono } from "hono";
import { anthropicRoutes } from "./anthropic/anthropic-routes.js";
import { errorResponse } from "./errors/error-response.js";
import { RequestError } from "./errors/request-error.js";
import type { GatewaySettings, TenantSource } from "./gateway.js";
import type { GatewayCore } from "./gateway-core.js";
import { allowedMethods } from "./http/allowed-methods.js";
import { BodyMemory } from "./http/body-memory.js";
import type { Env, Exchanges } from "./http/exchange.js";
import { front } from "./http/front.js";
import { Metrics } from "./http/metrics.js";
import { operationRoutes } from "./http/operation-routes.js";
import { BODY_LIMIT } from "./http/read-body.js";
import { modelsRoute } from "./models-route.js";
import type { NativeApi } from "./native/create-native-api.js";
import { openaiRoutes } from "./openai/openai-routes.js";

/** The settings of now. */
export interface Live {
  settings: GatewaySettings;
}

export interface ApplicationParts {
  /** The number of the gateway in this program. */
  readonly gateway: number;
  readonly core: GatewayCore;
  readonly exchanges: Exchanges;
  readonly tenants: TenantSource;
  readonly live: Live;
  readonly native: NativeApi;
}

/** All routes of a gateway behind the checks of the front. */
export function application(parts: ApplicationParts): Hono<Env> {
  const { gateway, core, exchanges, tenants, live, native } = parts;
  const app = new Hono<Env>();
  const metrics = new Metrics();
  const http = () => live.settings.http ?? {};
  const authenticate = (headers: Headers) => tenants.authenticate(headers);
  const isDraining = () => http().isDraining?.() ?? false;
  app.use(
    front({
      gateway,
      exchanges,
      authenticate,
      isDraining,
      bodies: new BodyMemory(),
      rules: () => {
        const { isLoopback = false, allowedHosts, allowedOrigins = [] } = http();
        const { bodyLimit = BODY_LIMIT, bodyMemory = BODIES * bodyLimit } = http();
        return { isLoopback, allowedHosts, allowedOrigins, bodyLimit, bodyMemory };
      },
      record: (entry) => {
        metrics.count(entry);
        http().log?.(entry);
      },
      report: (error, id) => http().onError?.(error, id),
    }),
  );
  app.route(
    "/",
    operationRoutes({
      metrics,
      authenticate,
      pools: () => http().pools?.() ?? [core.pool],
      openRequests: () => exchanges.size,
      readiness: async () => {
        if (isDraining()) return { isReady: false, reason: "draining" };
        return (await http().readiness?.()) ?? { isReady: true };
      },
    }),
  );
  app.route("/", modelsRoute(core));
  app.route("/", anthropicRoutes(core));
  app.route("/", native.app);
  app.route("/", openaiRoutes(core));
  app.onError((error, c) => errorResponse(c, error));
  app.notFound((c) => {
    const { method, path } = c.req;
    const methods = allowedMethods(app, path);
    if (methods.length === 0) {
      return errorResponse(c, new RequestError("not_found", `There is no ${method} ${path} here.`));
    }
    const message = `${path} does not take ${method}. Use ${methods.join(" or ")}.`;
    const refused = errorResponse(c, new RequestError("method_not_allowed", message));
    refused.headers.set("allow", methods.join(", "));
    return refused;
  });
  return app;
}

/** How many bodies of the largest size may be in memory. */
const BODIES = 16;
