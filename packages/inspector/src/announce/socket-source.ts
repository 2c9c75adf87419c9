import { request as httpRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { ByteLengthQueuingStrategy } from "node:stream/web";
import { problemResponse } from "../http/problem-response.js";
import type { Rights } from "../http/tokens.js";
import type { Source, SourceInfo } from "../sources/source.js";
import { RIGHTS_HEADER } from "./announce.js";
import { checkOwnSocket } from "./runtime-folder.js";

/** How long a program may take. */
export interface SocketTimes {
  /** Until the answer to a GET begins. */
  readonly readMs: number;
  /** Until the answer to another request begins. It may wait for the end of a turn. */
  readonly changeMs: number;
  /** Between two parts of an answer. Streams have a sign of life every 15 seconds. */
  readonly silenceMs: number;
}

const TIMES: SocketTimes = { readMs: 30_000, changeMs: 10 * 60_000, silenceMs: 60_000 };

/**
 * Another program of this user, over its unix socket. The program may hang, or send without end: every wait has a
 * limit, and the answer is read only as fast as the client reads.
 */
export class SocketSource implements Source {
  readonly info: SourceInfo;
  readonly #socket: string;
  readonly #times: SocketTimes;

  constructor(info: SourceInfo, socket: string, times: SocketTimes = TIMES) {
    this.info = info;
    this.#socket = socket;
    this.#times = times;
  }

  async fetch(request: Request, rights: Rights): Promise<Response> {
    try {
      const body = await bodyOf(request);
      if (body === "too_large") {
        return problemResponse(413, "request_too_large", "The body has more than 32 MB.");
      }
      await checkOwnSocket(this.#socket);
      return responseOf(await this.#send(request, rights, body));
    } catch (error) {
      if (error instanceof TooSlow) return problemResponse(504, "timeout", error.message);
      const why = error instanceof Error ? error.message : String(error);
      return problemResponse(502, "closed", `The program does not answer: ${why}`);
    }
  }

  /** Resolves when the headers of the answer have arrived. */
  #send(
    { url, method, headers, signal }: Request,
    rights: Rights,
    body: Uint8Array | undefined,
  ): Promise<IncomingMessage> {
    const { pathname, search } = new URL(url);
    const { readMs, changeMs, silenceMs } = this.#times;
    return new Promise((resolve, reject) => {
      const outgoing = httpRequest({
        socketPath: this.#socket,
        path: `${pathname}${search}`,
        method,
        headers: handedOn(headers, rights),
        // One connection for each request, because a stream keeps its connection as long as a page is open.
        agent: false,
      });
      const abort = () => outgoing.destroy();
      const limit = setTimeout(
        () => outgoing.destroy(new TooSlow()),
        method === "GET" || method === "HEAD" ? readMs : changeMs,
      ).unref();
      signal.addEventListener("abort", abort, { once: true });
      outgoing.once("close", () => {
        clearTimeout(limit);
        signal.removeEventListener("abort", abort);
      });
      // It stays, because a connection can break more than once: an error without a listener ends the program.
      outgoing.on("error", reject);
      outgoing.once("response", (incoming) => {
        clearTimeout(limit);
        incoming.setTimeout(silenceMs, () => incoming.destroy(new TooSlow()));
        resolve(incoming);
      });
      outgoing.setNoDelay(true);
      outgoing.end(body);
      if (signal.aborted) abort();
    });
  }
}

class TooSlow extends Error {
  constructor() {
    super("The program did not answer in time. It may be stopped, or busy.");
  }
}

const MOST_BYTES = 32 * 2 ** 20;

/** Requests are small: a prompt or an answer to a question. A program takes no more either. */
async function bodyOf({ body }: Request): Promise<Uint8Array | "too_large" | undefined> {
  if (body === null) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) return "too_large";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What the program may know of the request. The token is for this server only. */
const HANDED_ON = ["accept", "content-type", "last-event-id"];

function handedOn(given: Headers, rights: Rights): Record<string, string> {
  const headers: Record<string, string> = { host: "localhost", [RIGHTS_HEADER]: rights };
  for (const name of HANDED_ON) {
    const value = given.get(name);
    if (value !== null) headers[name] = value;
  }
  return headers;
}

/** The bytes of the body pass as they arrive. */
function responseOf(incoming: IncomingMessage): Response {
  const { statusCode = 502 } = incoming;
  const headers = new Headers();
  for (const name of ["content-type", "cache-control", "x-accel-buffering", "retry-after"]) {
    const value = incoming.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  // No response can be made with another status.
  const status = statusCode >= 200 && statusCode < 600 ? statusCode : 502;
  const hasBody = status !== 204 && status !== 205 && status !== 304;
  if (!hasBody) incoming.resume();
  return new Response(hasBody ? webStream(incoming) : null, { status, headers });
}

/** With a strategy, because earlier releases of Node count chunks and not bytes, and read far ahead of the client. */
function webStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 65_536 });
  return Readable.toWeb(incoming, { strategy }) as ReadableStream<Uint8Array>;
}
