import { RequestError } from "../errors/request-error.js";
import { isLoopbackHost } from "./loopback.js";

/** The names that clients may use for this server. */
export interface HostRules {
  /** Whether the server listens on loopback only. */
  readonly isLoopback: boolean;
  readonly allowedHosts: readonly string[] | undefined;
}

/**
 * Refuses a request whose header `Host` names another server. A web page can make its own name resolve to
 * 127.0.0.1 (DNS rebinding); its requests then carry that name.
 */
export function checkHost(headers: Headers, { isLoopback, allowedHosts }: HostRules): void {
  if (!isLoopback && allowedHosts === undefined) return;
  const host = hostNameIn(headers.get("host"));
  if (host !== undefined) {
    if (isLoopback && isLoopbackHost(host)) return;
    if (allowedHosts?.some((allowed) => bare(allowed) === bare(host))) return;
  }
  throw new RequestError(
    "not_allowed",
    "The header Host does not name this server. Add the name to allowedHosts if it is right.",
  );
}

/** The host without its port; `undefined` if the header is missing or is no host. */
function hostNameIn(header: string | null): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/@\\?#[\]]+)(?::\d{1,5})?$/i.exec(header ?? "");
  return match?.[1];
}

function bare(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
