import { RequestError } from "../errors/request-error.js";

/**
 * Refuses requests of web pages whose origin is not allowed. Browsers send the header `Origin` with every POST and
 * with every request across origins; programs do not send it.
 */
export function checkOrigin(headers: Headers, allowedOrigins: readonly string[]): void {
  const origin = headers.get("origin");
  if (origin !== null && !allowedOrigins.includes(origin)) throw refused();
  // A page can send some GET requests without an origin. Browsers mark these too.
  const site = headers.get("sec-fetch-site");
  if (origin === null && (site === "cross-site" || site === "same-site")) throw refused();
}

/** The headers that let the page of an allowed origin read the answer; none for other clients. */
export function corsHeaders(
  headers: Headers,
  allowedOrigins: readonly string[],
): Record<string, string> {
  const origin = headers.get("origin");
  if (origin === null || !allowedOrigins.includes(origin)) return {};
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "*, authorization",
    vary: "origin",
  };
}

/** The answer to the question of a browser before the real request; `undefined` if it is no such question. */
export function preflight(
  request: Request,
  allowedOrigins: readonly string[],
): Response | undefined {
  const { method, headers } = request;
  if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return undefined;
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(headers, allowedOrigins),
      "access-control-allow-methods": "GET, POST, DELETE",
      "access-control-allow-headers": headers.get("access-control-request-headers") ?? "",
      "access-control-max-age": "600",
    },
  });
}

function refused(): RequestError {
  return new RequestError(
    "not_allowed",
    "Web pages of this origin may not call the gateway. Add the origin to allowedOrigins to permit it.",
  );
}
