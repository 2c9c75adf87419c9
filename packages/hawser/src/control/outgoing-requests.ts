import { abortedBy, HawserError, listenForAbort, startTimer } from "../base/index.js";
import type { RequestOptions } from "../options/index.js";
import type { ControlFailure, ControlResponse } from "../wire/index.js";

/** The requests of this side that still wait for their answers. */
export class OutgoingRequests {
  readonly #waiting = new Map<string, Waiting>();

  /** The answer to the request that is sent under this id; rejects after the time limit. */
  wait(id: string, subtype: string, options: RequestOptions): Promise<unknown> {
    const { signal, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    return new Promise((resolve, reject) => {
      let stopListening = () => {};
      const onAbort = () => settle(() => reject(abortedBy(signal)));
      const timer = startTimer(timeoutMs, () => settle(() => reject(late(subtype, timeoutMs))));
      if (options.holds === false) timer?.unref();
      const settle = (how: () => void) => {
        if (!this.#waiting.delete(id)) return;
        clearTimeout(timer);
        stopListening();
        how();
      };
      this.#waiting.set(id, {
        resolve: (payload) => settle(() => resolve(payload)),
        reject: (error) => settle(() => reject(error)),
        subtype,
      });
      if (signal?.aborted) onAbort();
      else if (signal !== undefined) stopListening = listenForAbort(signal, onAbort);
    });
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** False if no request waits for this answer, because it came late or twice. */
  settle({ response }: ControlResponse): boolean {
    const waiting = this.#waiting.get(response?.request_id);
    if (waiting === undefined) return false;
    if (response.subtype === "error") waiting.reject(refusal(waiting.subtype, response));
    else waiting.resolve(response.response);
    return true;
  }

  reject(id: string, error: unknown): void {
    this.#waiting.get(id)?.reject(error);
  }

  rejectAll(error: (subtype: string) => unknown): void {
    for (const { reject, subtype } of [...this.#waiting.values()]) reject(error(subtype));
  }
}

interface Waiting {
  readonly resolve: (payload: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly subtype: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;

function late(subtype: string, timeoutMs: number): HawserError {
  const message = `The CLI did not answer the request ${subtype} within ${timeoutMs} ms.`;
  const hint = "Try again, or call `request()` with a larger `timeoutMs`.";
  return new HawserError("timeout", message, { phase: "control", hint });
}

function refusal(subtype: string, { error, error_code }: ControlFailure): HawserError {
  const facts = error_code === undefined ? {} : { reason: error_code };
  // `error` comes from outside and may be any value, on which String() could throw.
  const told = typeof error === "string" ? error : undefined;
  if (error_code === "unsupported_request" || UNSUPPORTED.test(told ?? "")) {
    const message = `The CLI does not support the request ${subtype}.`;
    return new HawserError("unsupported_by_cli", message, facts);
  }
  const message = told ?? `The CLI refused ${subtype}.`;
  const hint = `The message is the CLI's own answer to the request ${subtype}.`;
  return new HawserError("control_error", message, { ...facts, hint });
}

/** Older CLIs send this text without an error code. */
const UNSUPPORTED = /^Unsupported control request/i;
