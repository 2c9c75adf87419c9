import { setMaxListeners } from "node:events";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { isHawserError } from "hawser";
import type { PageFiles } from "./files/page-files.js";
import { checkCaller } from "./http/check-caller.js";
import { keepRequest } from "./http/keep-request.js";
import { OpenStreams } from "./http/open-streams.js";
import { failureResponse, problemResponse } from "./http/problem-response.js";
import { withSecurityHeaders } from "./http/security-headers.js";
import { proveToken } from "./http/server-proof.js";
import type { Authenticator, Caller, Rights } from "./http/tokens.js";
import { PACKAGE_VERSION } from "./package-version.js";
import type { Replays } from "./replays.js";
import type { Sources } from "./sources/source.js";
import { EVENT_ID } from "./sources/source-follower.js";
import { SourceStream } from "./sources/source-stream.js";
import { WATCH_BUFFER, WatchStream } from "./sources/watch-stream.js";

export interface InspectorAppOptions {
  readonly files: PageFiles;
  readonly authenticator: Authenticator;
  readonly sources: Sources;
  /** Names in the header `Host` that are allowed beside loopback. */
  readonly hosts: readonly string[] | "any";
  readonly replays?: Replays | undefined;
  readonly heartbeatMs?: number | undefined;
}

/** All addresses of the inspector: the files of the page, the sources, and what is below them. */
export class InspectorApp {
  readonly #options: InspectorAppOptions;
  readonly #closing = new AbortController();
  readonly #streams = new OpenStreams();

  constructor(options: InspectorAppOptions) {
    this.#options = options;
    // Each stream listens to it, and Node would take more than ten for a leak.
    setMaxListeners(0, this.#closing.signal);
  }

  async fetch(request: Request): Promise<Response> {
    return withSecurityHeaders(await this.#answerOrFail(keepRequest(request)));
  }

  /** Ends the streams of sources. */
  close(): void {
    this.#closing.abort();
  }

  async #answerOrFail(request: Request): Promise<Response> {
    try {
      return await this.#answer(request);
    } catch (error) {
      if (!isHawserError(error)) process.emitWarning(asError(error));
      return failureResponse(error);
    }
  }

  async #answer(request: Request): Promise<Response> {
    const address = addressOf(new URL(request.url).pathname);
    const isFile = address === "index.html" || address?.startsWith("assets/") === true;
    const refused = checkCaller(request, this.#options.hosts, !isFile);
    if (refused !== undefined) return refused;
    if (address === undefined) return unknownAddress(request);
    const { method } = request;
    // Nothing would end a stream that answers HEAD.
    if (method === "HEAD" && !isFile) return onlyGet();
    const isRead = method === "GET" || method === "HEAD";
    if (isFile) return isRead ? this.#options.files.answer(request, address) : onlyGet();
    const { authenticator } = this.#options;
    if (address === "hello") {
      return isRead ? proveToken(new URL(request.url), authenticator.hashes()) : onlyGet();
    }
    const caller = await authenticator.callerOf(request);
    if (caller === undefined) return needsToken();
    if (caller instanceof Response) return caller;
    const { rights } = caller;
    if (rights === "read" && !isRead) return onlyLooks();
    const handedOn = /^sources\/([^/]+)(\/hawser\/v1\/.*)$/.exec(address);
    if (handedOn !== null) {
      const [, id = "", path = ""] = handedOn;
      const answer = () => this.#handOn(request, id, path, rights);
      // The streams of the native API.
      const isStream = isRead && path.endsWith("/events");
      return isStream ? this.#stream(request, caller, answer) : answer();
    }
    return isRead ? this.#read(request, address, caller) : onlyGet();
  }

  #stream(
    { signal }: Request,
    { name }: Caller,
    make: () => Response | Promise<Response>,
  ): Promise<Response> {
    return this.#streams.respond(name, signal, make);
  }

  async #read(request: Request, address: string, caller: Caller): Promise<Response> {
    const { replays } = this.#options;
    const { rights } = caller;
    if (address === "sources") return Response.json(this.#sources(rights));
    if (address === "sources/events") {
      return this.#stream(request, caller, () => this.#sourceStream(request, rights));
    }
    if (address === "watch") {
      return this.#stream(request, caller, () => this.#watch(request, rights));
    }
    if (address === "replays") return Response.json((await replays?.list()) ?? []);
    const [, replay] = /^replays\/([^/]+)$/.exec(address) ?? [];
    // It is a stream too: it is read as fast as the client reads.
    return this.#stream(request, caller, () => this.#replay(replay));
  }

  async #replay(id: string | undefined): Promise<Response> {
    const text = id === undefined ? undefined : await this.#options.replays?.read(id);
    if (text === undefined) return problemResponse(404, "not_found", "There is no such address.");
    return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
  }

  #sources(rights: Rights): object {
    const { authenticator } = this.#options;
    return {
      ...(authenticator.tabToken && { tabToken: authenticator.tabToken(rights) }),
      sources: this.#options.sources.list().map(({ info }) => info),
      canControl: rights === "control",
      hawser: PACKAGE_VERSION,
    };
  }

  #sourceStream(request: Request, rights: Rights): Response {
    const { sources, heartbeatMs = 15_000 } = this.#options;
    const stream = new SourceStream({
      sources,
      heartbeatMs,
      data: () => this.#sources(rights),
      signals: [request.signal, this.#closing.signal],
    });
    return sseResponse(new ReadableStream(stream));
  }

  #watch(request: Request, rights: Rights): Response {
    const { sources, heartbeatMs = 15_000 } = this.#options;
    const given = new URL(request.url).searchParams.getAll("after").map((text) => text.split("~"));
    const stream = new WatchStream({
      sources,
      heartbeatMs,
      facts: () => this.#sources(rights),
      // Anything else cannot be the id of an event, nor the value of a header.
      after: new Map(
        given.flatMap(([source = "", event = ""]) =>
          EVENT_ID.test(event) ? [[source, event]] : [],
        ),
      ),
      open: (source, path, headers, signal) => {
        for (const name of ["authorization", "host"]) {
          const value = request.headers.get(name);
          if (value !== null) headers.set(name, value);
        }
        const inner = new Request(new URL(path, request.url), { headers, signal });
        return source.fetch(keepRequest(inner), rights);
      },
      signals: [request.signal, this.#closing.signal],
    });
    return sseResponse(new ReadableStream(stream, WATCH_BUFFER));
  }

  async #handOn(request: Request, id: string, path: string, rights: Rights): Promise<Response> {
    const { sources } = this.#options;
    const source = sources
      .list()
      .find(({ info }) => info.id === id || (id === "self" && info.isSelf));
    if (source === undefined) {
      return problemResponse(404, "not_found", "There is no such source, or it has ended.");
    }
    return source.fetch(keepRequest(requestTo(path, request)), rights);
  }
}

function sseResponse(body: NodeStream<Uint8Array>): Response {
  return new Response(body as ReadableStream<Uint8Array>, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      // Otherwise nginx would collect the events before it passes them on.
      "x-accel-buffering": "no",
    },
  });
}

/** The same request to another path. */
function requestTo(path: string, request: Request): Request {
  const url = new URL(request.url);
  url.pathname = path;
  const { method, headers, body, signal } = request;
  return new Request(url, {
    method,
    headers,
    signal,
    ...(body !== null && { body, duplex: "half" }),
  });
}

/** The address below the mount point, which may be any path. The page itself ends with a slash. */
function addressOf(pathname: string): string | undefined {
  if (pathname.endsWith("/") && !/\/(sources|watch|replays|assets|hello)\//.test(pathname))
    return "index.html";
  // The first of these words in the path, because ids of sources and sessions follow it.
  return /\/((?:sources|watch|replays|assets)(?:\/.*)?|hello|index\.html)$/.exec(pathname)?.[1];
}

/** The files of the page have relative addresses, so that a browser needs the slash at the end of the path. */
function unknownAddress({ url, method, headers }: Request): Response {
  const wantsPage = method === "GET" && headers.get("accept")?.includes("text/html") === true;
  if (!wantsPage) return problemResponse(404, "not_found", "There is no such address.");
  const [last = ""] = new URL(url).pathname.split("/").slice(-1);
  return new Response(null, { status: 307, headers: { location: `./${last}/` } });
}

function onlyGet(): Response {
  const response = problemResponse(405, "method_not_allowed", "This address takes GET only.");
  response.headers.set("allow", "GET, HEAD");
  return response;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function needsToken(): Response {
  const message = "The token is missing or wrong. Open the address that the inspector has printed.";
  const response = problemResponse(401, "invalid_api_key", message);
  response.headers.set("www-authenticate", "Bearer");
  return response;
}

function onlyLooks(): Response {
  return problemResponse(403, "not_allowed", "This token may only look.");
}
