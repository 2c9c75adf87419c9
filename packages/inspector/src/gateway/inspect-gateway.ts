import { PageFiles } from "../files/page-files.js";
import { type Authenticator, type Caller, Tokens } from "../http/tokens.js";
import { InspectorApp } from "../inspector-app.js";
import { programInfo } from "../sources/program-info.js";
import { type Source, singleSource } from "../sources/source.js";

/** What the page needs of the gateway that it is mounted in. */
export interface InspectedGateway {
  /** The handler of the gateway, which checks keys itself. */
  fetch(request: Request): Promise<Response>;
  /** Whether requests to the gateway need a key. Then the keys are the tokens of the page. */
  readonly needsKey: boolean;
  /** The SHA-256 hashes of all keys, as hexadecimal digits. */
  keyHashes(): readonly string[];
  /** Names in the header `Host` beside loopback; undefined if the gateway checks none. */
  readonly hosts: readonly string[] | undefined;
}

/** The page of a gateway. */
export interface GatewayInspector {
  fetch(request: Request): Promise<Response>;
  /** The token of the page; undefined if keys of tenants are the tokens. */
  readonly token: string | undefined;
  /** Ends the streams of open pages. */
  close(): void;
}

/**
 * The page for a gateway, as `hawser serve --inspect` mounts it. What a key may see and do on the page is what it may
 * see and do in the native API.
 */
export function inspectGateway(gateway: InspectedGateway): GatewayInspector {
  const tokens = gateway.needsKey ? undefined : new Tokens();
  const app = new InspectorApp({
    files: new PageFiles(),
    authenticator: tokens ?? gatewayKeys(gateway),
    sources: singleSource(gatewaySource(gateway)),
    hosts: gateway.hosts ?? "any",
  });
  return {
    fetch: (request) => app.fetch(request),
    token: tokens?.control,
    close: () => app.close(),
  };
}

function gatewaySource(gateway: InspectedGateway): Source {
  return {
    info: programInfo("gateway", "hawser serve"),
    fetch: (request) => gateway.fetch(ownRequest(request, gateway)),
  };
}

interface Access {
  readonly name: string;
  readonly canControl: boolean;
}

/** Asks the gateway what a key may do. */
function gatewayKeys(gateway: InspectedGateway): Authenticator {
  return {
    hashes: () => gateway.keyHashes(),
    async callerOf(request): Promise<Caller | Response | undefined> {
      const url = new URL("/hawser/v1/access", request.url);
      const { headers, signal } = request;
      const asked = ownRequest(new Request(url, { headers, signal }), gateway);
      const response = await gateway.fetch(asked);
      if (response.status === 401) return undefined;
      if (!response.ok) return response;
      const { name, canControl } = (await response.json()) as Access;
      return { name, rights: canControl ? "control" : "read" };
    },
  };
}

/**
 * The request as the gateway gets it. The inspector has checked where it comes from. The gateway would refuse it, because
 * it serves no web pages of its own.
 */
function ownRequest(request: Request, { needsKey }: InspectedGateway): Request {
  const headers = new Headers(request.headers);
  for (const name of ["origin", "referer", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"]) {
    headers.delete(name);
  }
  // It is the token of the page and not a key.
  if (!needsKey) headers.delete("authorization");
  const { method, body, signal, url } = request;
  return new Request(url, {
    method,
    headers,
    signal,
    ...(body !== null && { body, duplex: "half" }),
  });
}
