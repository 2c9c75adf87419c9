import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { encodeEvent, type Identity, messageEvents, wholeMessage } from "./message-events.js";
import type { ErrorReply, MessageReply, NoReply, Reply } from "./reply.js";

export interface Exchange {
  readonly response: ServerResponse;
  /** Whether the client asked for server-sent events. */
  readonly stream: boolean;
  readonly requestId: string;
  readonly identity: Identity;
  /** Aborted when the server closes, to end delays. */
  readonly closing: AbortSignal;
}

/** Sends one reply. Resolves when everything that will ever be sent is sent. */
export async function sendReply(reply: Reply, exchange: Exchange): Promise<void> {
  switch (reply.kind) {
    case "none":
      return cutOrHang(reply.ending, exchange.response);
    case "error":
      await pause(reply.delayMs, exchange);
      return sendError(reply, exchange);
    case "message":
      await pause(reply.options.delayMs, exchange);
      return exchange.stream ? sendStream(reply, exchange) : sendWhole(reply, exchange);
  }
}

export function sendJson(exchange: Exchange, status: number, body: unknown, headers = {}): void {
  const text = JSON.stringify(body);
  exchange.response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "request-id": exchange.requestId,
    ...headers,
  });
  exchange.response.end(text);
}

function sendError(reply: Pick<ErrorReply, "status" | "error" | "headers">, to: Exchange): void {
  const body = { type: "error", error: reply.error, request_id: to.requestId };
  sendJson(to, reply.status, body, reply.headers);
}

async function sendStream(reply: MessageReply, exchange: Exchange): Promise<void> {
  const { response, requestId } = exchange;
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "request-id": requestId,
    ...reply.options.headers,
  });
  let first = true;
  for (const event of messageEvents(reply, exchange.identity)) {
    if (event.type === "content_block_delta") {
      if (!first) await pause(reply.options.chunkDelayMs, exchange);
      first = false;
    }
    if (response.destroyed) return;
    if (!response.write(encodeEvent(event))) await drained(response);
  }
  if (reply.ending === "cut" || reply.ending === "hang") {
    await flushed(response);
    return cutOrHang(reply.ending, response);
  }
  response.end();
}

/** A response without streaming has no error event, so the error becomes a status. */
async function sendWhole(reply: MessageReply, exchange: Exchange): Promise<void> {
  const { response, requestId } = exchange;
  const headers = reply.options.headers ?? {};
  if (typeof reply.ending === "object") {
    const status = reply.ending.type === "overloaded_error" ? 529 : 500;
    return sendError({ status, error: reply.ending, headers }, exchange);
  }
  const body = wholeMessage(reply, exchange.identity);
  if (reply.ending === "whole") return sendJson(exchange, 200, body, headers);

  const text = JSON.stringify(body);
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "request-id": requestId,
    ...headers,
  });
  response.write(text.slice(0, text.length / 2));
  await flushed(response);
  cutOrHang(reply.ending, response);
}

/** Cuts the connection, or leaves the response open until the server closes. */
function cutOrHang(ending: NoReply["ending"], response: ServerResponse): void {
  if (ending === "cut") response.socket?.destroy();
}

async function pause(ms: number | undefined, exchange: Exchange): Promise<void> {
  if (ms === undefined || ms <= 0) return;
  await sleep(ms, undefined, { signal: exchange.closing }).catch(() => {
    // The server closes and the connection ends, so the rest of the reply is not needed.
  });
}

/** Resolves also when the client went away, so the caller must check `destroyed`. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

/** Waits until the written bytes have left, because a cut would discard them. */
function flushed(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write("", () => resolve());
  });
}
