import { problemResponse } from "./problem-response.js";

/**
 * Refuses a request that a foreign web page may have caused; undefined if there is nothing to refuse.
 *
 * - `Host` must name loopback or one of `hosts`. A web page can make its own name resolve to 127.0.0.1 (DNS
 *   rebinding); its requests then carry that name.
 * - `Origin` must be the origin of the inspector itself. Another program on this machine can serve pages on
 *   loopback too, so the port counts.
 */
export function checkCaller(
  request: Request,
  hosts: readonly string[] | "any",
  needsToken: boolean,
): Response | undefined {
  const { headers } = request;
  const host = headers.get("host") ?? new URL(request.url).host;
  const names = hosts === "any" ? [] : hosts;
  if (hosts !== "any" && !isAllowedHost(host, hosts)) {
    const message =
      "The header Host does not name this server. If the name is right, add it to `hosts` of inspector(), or to `allowedHosts` of the gateway.";
    return problemResponse(403, "not_allowed", message);
  }
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const isForeign =
    origin === null
      ? // The files hold no data, so that a link on another page may lead to them.
        needsToken && (site === "cross-site" || site === "same-site")
      : !isOwnOrigin(origin, host, names);
  if (!isForeign) return undefined;
  return problemResponse(403, "not_allowed", "Web pages of this origin may not use the inspector.");
}

function isAllowedHost(header: string, hosts: readonly string[]): boolean {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/@\\?#[\]]+)(?::\d{1,5})?$/i.exec(header);
  const name = match?.[1];
  if (name === undefined) return false;
  return isLoopbackName(name) || hosts.some((allowed) => bare(allowed) === bare(name));
}

function isOwnOrigin(origin: string, host: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: from, hostname } = new URL(origin);
  if (protocol !== "http:" && protocol !== "https:") return false;
  // A proxy in front may change Host. Then the name that browsers use is among the names that are allowed.
  return from === host.toLowerCase() || hosts.some((allowed) => bare(allowed) === bare(hostname));
}

function isLoopbackName(host: string): boolean {
  const name = bare(host).replace(/^\[(.*)\]$/, "$1");
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}

function bare(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
