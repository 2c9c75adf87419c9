import { HawserError, isHawserError, type Logger, textOf } from "../base/index.js";
import {
  type CliRequest,
  type ControlRequest,
  type ControlResponse,
  controlFailure,
  controlSuccess,
} from "../wire/index.js";

export interface RequestContext {
  /** Aborted when the CLI no longer waits for the answer, and when the line ends. */
  readonly signal: AbortSignal;
  readonly requestId: string;
}

/** Returns the payload of the answer, or a refusal. If it throws, an error answer is sent. */
export type RequestHandler = (
  request: CliRequest,
  context: RequestContext,
) => Promise<object | undefined | Refusal | typeof NO_ANSWER>;

/**
 * An error answer without an Error object, because building a masked error for each request of a
 * flood is slow.
 */
export class Refusal {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Returned by a handler that gives no answer, because the caller's callback asked for that. */
export const NO_ANSWER: unique symbol = Symbol("no answer");

/** The requests of the CLI that handlers work on, each in its own task. */
export class IncomingRequests {
  readonly #handler: RequestHandler;
  readonly #send: (answer: ControlResponse) => Promise<void>;
  readonly #log: Logger;
  /** The requests that the CLI waits for. */
  readonly #working = new Map<string, AbortController>();
  #atWork = 0;
  #unsent = 0;
  #isOver = false;
  #onCaughtUp: () => void = () => {};

  constructor(
    handler: RequestHandler,
    send: (answer: ControlResponse) => Promise<void>,
    log: Logger,
  ) {
    this.#handler = handler;
    this.#send = send;
    this.#log = log;
  }

  /** How many handlers are at work, also on requests that the CLI has withdrawn. */
  get size(): number {
    return this.#atWork;
  }

  /**
   * Undefined unless the CLI asks faster than it reads the answers. Then it resolves when the
   * answers have been sent or the line has ended. Nothing should be read before that, so that
   * memory is bounded.
   */
  caughtUp(): Promise<void> | undefined {
    if (this.#unsent < MOST_UNSENT || this.#isOver) return undefined;
    return new Promise((resolve) => {
      this.#onCaughtUp = resolve;
    });
  }

  /** Returns at once. The answer is sent when it is ready. */
  receive({ request_id, request }: ControlRequest): void {
    if (typeof request_id !== "string") {
      this.#log.warn("a request without an id cannot be answered");
    } else if (typeof request?.subtype !== "string") {
      this.#answer(controlFailure(request_id, "The request has no subtype."));
    } else if (this.#working.has(request_id)) {
      // A handler already works on this request.
    } else if (this.#atWork >= MOST_WORKING) {
      this.#answer(controlFailure(request_id, "Too many requests are open."));
    } else {
      void this.#work(request_id, request);
    }
  }

  /** The peer is gone, and no answer will ever be read. */
  stopWaiting(): void {
    this.#isOver = true;
    this.#onCaughtUp();
  }

  /** Frees the id at once: the CLI may use it again while the handler still runs. */
  cancel(requestId: string): void {
    const controller = this.#working.get(requestId);
    this.#working.delete(requestId);
    controller?.abort(new HawserError("aborted", "The CLI withdrew its request."));
  }

  /** The line has ended, and the CLI no longer waits for answers. */
  close(): void {
    this.stopWaiting();
    for (const controller of this.#working.values()) controller.abort(new HawserError("closed"));
  }

  async #work(requestId: string, request: CliRequest): Promise<void> {
    const controller = new AbortController();
    this.#working.set(requestId, controller);
    this.#atWork += 1;
    // The read loop must go on before any callback of the caller runs.
    await Promise.resolve();
    let answer: ControlResponse | undefined;
    try {
      const payload = await this.#handler(request, { signal: controller.signal, requestId });
      if (payload instanceof Refusal) answer = controlFailure(requestId, payload.message);
      else if (payload !== NO_ANSWER) answer = controlSuccess(requestId, payload);
    } catch (error) {
      answer = controlFailure(requestId, textOf(error));
    }
    this.#atWork -= 1;
    if (this.#working.get(requestId) === controller) this.#working.delete(requestId);
    if (answer !== undefined && !controller.signal.aborted) this.#answer(answer);
  }

  #answer(answer: ControlResponse): void {
    this.#unsent += 1;
    this.#send(answer)
      .catch((error: unknown) => {
        // An answer that cannot be written as JSON must not leave the CLI waiting.
        if (isHawserError(error, "invalid_options")) {
          this.#answer(controlFailure(answer.response.request_id, error.message));
        } else this.#log.debug("an answer was not sent", { error: textOf(error) });
      })
      .finally(() => {
        this.#unsent -= 1;
        if (this.#unsent === FEW_UNSENT) this.#onCaughtUp();
      });
  }
}

/**
 * No CLI has more requests open at once. A handler holds memory until it returns, even if the CLI
 * has withdrawn its request, so the handlers are counted.
 */
const MOST_WORKING = 10_000;

/** More answers than this wait only for a CLI that asks without reading. */
const MOST_UNSENT = 10_000;
const FEW_UNSENT = 1000;
