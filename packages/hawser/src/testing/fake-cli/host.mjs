// Control requests to the host, and their answers.
import { randomUUID } from "node:crypto";
import { write } from "./output.mjs";
import { interrupted } from "./turn.mjs";

/** @typedef {{ response?: any, error?: string, late?: true, closed?: true }} HostAnswer */

const pending = new Map();
let closed = false;

/**
 * Resolves with the host's answer: `{ subtype: "success", response }`, or one with `error`. After
 * `limitMs` the request is cancelled: `{ late: true }`. `signal` cancels it and rejects.
 * @param {object} request
 * @param {{ limitMs?: number, signal?: AbortSignal, takeBack?: (requestId: string) => void }} [options]
 * @returns {Promise<HostAnswer>}
 */
export function ask(request, { limitMs, signal, takeBack = cancel } = {}) {
  if (closed) return Promise.resolve(STREAM_CLOSED);
  const id = randomUUID();
  return new Promise((resolve, reject) => {
    const over = () => {
      pending.delete(id);
      clearTimeout(timer);
      signal?.removeEventListener("abort", stopped);
    };
    const stopped = () => {
      over();
      takeBack(id);
      reject(interrupted());
    };
    const settle = (answer) => {
      over();
      resolve(answer);
    };
    const expire = () => {
      takeBack(id);
      settle({ late: true });
    };
    const timer = limitMs === undefined ? undefined : setTimeout(expire, limitMs);
    pending.set(id, settle);
    signal?.addEventListener("abort", stopped, { once: true });
    write(`${JSON.stringify({ type: "control_request", request_id: id, request })}\n`);
  });
}

/** Passes an answer to the request that waits for it. Returns false if no request does. */
export function takeAnswer({ response }) {
  const settle = pending.get(response?.request_id);
  if (settle === undefined) return false;
  settle(response.subtype === "error" ? { error: `Error: ${response.error}` } : response);
  return true;
}

/** Settles all requests, because no answer can arrive any more. */
export function hostIsGone() {
  closed = true;
  for (const settle of [...pending.values()]) settle(STREAM_CLOSED);
}

/** @type {HostAnswer} */
const STREAM_CLOSED = { error: "AbortError: Stream closed", closed: true };

function cancel(request_id) {
  write(`${JSON.stringify({ type: "control_cancel_request", request_id })}\n`);
}
