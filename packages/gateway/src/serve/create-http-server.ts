import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError as UnreadableRequest } from "@hono/node-server";
import type { ListenConfig } from "../config/gateway-config.js";
import { anyClientErrorBody } from "../errors/any-client-error.js";
import { type Problem, problemOf } from "../errors/problem.js";
import { RequestError } from "../errors/request-error.js";

/** A server that answers with the handler, and with JSON where a request cannot be read. */
export function createHttpServer(
  listen: ListenConfig,
  handler: (request: Request) => Promise<Response>,
): Server {
  const listener = getRequestListener(handler, {
    overrideGlobalObjects: false,
    errorHandler: (error) => problemAnswer(problemOf(unreadable(error), false)),
  });
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: listen.headersTimeoutMs ?? HEADERS_MS,
      requestTimeout: listen.requestTimeoutMs ?? REQUEST_MS,
      // How often Node looks for connections that are too slow.
      connectionsCheckingInterval: Math.min(CHECK_MS, listen.headersTimeoutMs ?? CHECK_MS),
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    inTurn(listener),
  );
  server.maxConnections = listen.maxConnections ?? MAX_CONNECTIONS;
  answerClientErrors(server);
  return server;
}

const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_MS = 15_000;
const REQUEST_MS = 120_000;
const CHECK_MS = 5000;
const KEEP_ALIVE_MS = 5000;
const MAX_CONNECTIONS = 1024;
const MAX_PIPELINED = 16;

/** The error for a target or a `Host` of which no URL can be made. */
function unreadable(error: unknown): unknown {
  if (!(error instanceof UnreadableRequest)) return error;
  const message = "The path or the header Host of the request is not valid.";
  return new RequestError("invalid_request", message, { cause: error });
}

function problemAnswer(problem: Problem): Response {
  const headers = { "content-type": "application/json" };
  return new Response(JSON.stringify(anyClientErrorBody(problem)), {
    status: problem.status,
    headers,
  });
}

/**
 * Answers the requests of one connection one after the other. A client can send requests without waiting for answers
 * (pipelining). Node would begin with all of them, so that the number of connections would not limit the number of
 * requests, and it does not tell when the client of a later one is gone. A connection with many of them is closed.
 */
function inTurn(listener: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const queues = new WeakMap<Duplex, { size: number; last: Promise<void> }>();
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const queue = queues.get(socket) ?? { size: 0, last: Promise.resolve() };
    queues.set(socket, queue);
    queue.size += 1;
    if (queue.size > MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    const isFirst = queue.size === 1;
    const before = queue.last;
    queue.last = new Promise((resolve) => {
      response.once("close", () => {
        queue.size -= 1;
        resolve();
      });
    });
    const answer = () => {
      if (!socket.destroyed) void listener(request, response);
    };
    if (isFirst) answer();
    else void before.then(answer);
  };
}

/** Node answers these with a status line only: headers that are too large or too slow, and what is no HTTP. */
function answerClientErrors(server: Server): void {
  const responses = new WeakMap<Duplex, Set<ServerResponse>>();
  server.prependListener("request", ({ socket }, response) => {
    const open = responses.get(socket) ?? new Set();
    responses.set(socket, open.add(response));
    response.once("close", () => open.delete(response));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Bytes after an answer that has begun would be read as a part of it.
    const isAnswering = [...(responses.get(socket) ?? [])].some(
      ({ headersSent, writableFinished }) => headersSent && !writableFinished,
    );
    if (error.code === "ECONNRESET" || !socket.writable || isAnswering) {
      socket.destroy();
      return;
    }
    socket.end(rawAnswer(clientProblem(error.code)), () => socket.destroy());
  });
}

function clientProblem(code: string | undefined): Problem {
  const problem = (status: number, name: string, message: string): Problem => {
    const isSlow = status === 408;
    const rest = { param: undefined, shouldRetry: isSlow, retryAfterMs: undefined };
    return { status, code: name, message, ...rest };
  };
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return problem(408, "request_timeout", "The request was not complete in time.");
    case "HPE_HEADER_OVERFLOW":
      return problem(431, "headers_too_large", "The headers of the request are too large.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return problem(413, "request_too_large", "The chunk extensions of the body are too large.");
    default:
      return problem(400, "invalid_request", "The request is not valid HTTP.");
  }
}

function rawAnswer(problem: Problem): string {
  const { status, shouldRetry } = problem;
  const body = JSON.stringify(anyClientErrorBody(problem));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-should-retry: ${shouldRetry}`,
    "connection: close",
    "",
    body,
  ].join("\r\n");
}
