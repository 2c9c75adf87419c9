import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, RequestError as UnreadableRequest } from "@hono/node-server";
import { HawserError } from "hawser";
import { failureResponse, problemResponse } from "./problem-response.js";

/**
 * A server of Node that answers with the handler. It does not listen yet. Its connections do not keep the program
 * running, because the stream of an open page never ends by itself.
 */
export function httpServer(
  handler: (request: Request) => Promise<Response>,
  stallMs: number = STALL_MS,
): Server {
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    getRequestListener(handler, {
      overrideGlobalObjects: false,
      errorHandler: (error) =>
        error instanceof UnreadableRequest
          ? problemResponse(400, "invalid_request", "The path or the header Host is not valid.")
          : failureResponse(error),
    }),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.on("connection", (socket) => socket.unref());
  // A failure after the start, for example to accept a connection, must not end the program.
  server.on("error", () => {});
  server.setTimeout(stallMs, (socket) => {
    // A client that waits for an answer is quiet, too. One that does not take its answer is left.
    if (socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(stallMs);
  });
  return server;
}

const KEEP_ALIVE_MS = 5000;
const HEADERS_MS = 15_000;
const REQUEST_MS = 120_000;
const CHECK_MS = 5000;
const STALL_MS = 120_000;
const MAX_HEADER_BYTES = 64 * 1024;
/** More than all streams and the requests beside them. The rest of the program needs files, too. */
const MAX_CONNECTIONS = 512;

/** Where a server listens: a port of an address, or a unix socket. */
export type ListenPlace =
  | { readonly host: string; readonly port: number }
  | { readonly path: string };

/** Resolves when the server listens. Rejects with the error of Node if it cannot. */
export function listen(server: Server, place: ListenPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(place, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/**
 * Listens on 127.0.0.1, without keeping the program running. Resolves to the base address. Throws `invalid_options`
 * if the port is taken.
 */
export async function listenOnLoopback(server: Server, port: number): Promise<string> {
  try {
    await listen(server, { host: "127.0.0.1", port });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "another program uses the port" : message;
    throw new HawserError("invalid_options", `Cannot listen on 127.0.0.1:${port}: ${why}.`, {
      hint: "Choose another port; 0 is a free one.",
      cause,
    });
  }
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends all connections. Resolves when the server has ended. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
