import { problemResponse } from "./problem-response.js";

/**
 * Limits the streams that are open at the same time. A stream never ends by itself, and each one reads two streams of
 * every program.
 */
export class OpenStreams {
  readonly #open = new Map<string, number>();
  #total = 0;

  /**
   * Calls `make` and counts its stream until it ends or its client is gone. `caller` is whose stream it is. The answer
   * is a 429 if there are too many.
   */
  async respond(
    caller: string,
    signal: AbortSignal,
    make: () => Response | Promise<Response>,
  ): Promise<Response> {
    const open = this.#open.get(caller) ?? 0;
    if (open >= MOST_OF_CALLER) {
      return tooMany(
        `This token reads ${open} streams, which is the limit. Close a tab of the page.`,
      );
    }
    if (this.#total >= MOST_OF_ALL) {
      return tooMany(
        `All tokens together read ${this.#total} streams, which is the limit. Try again when a page was closed.`,
      );
    }
    const close = this.#count(caller, open);
    try {
      return untilOver(await make(), signal, close);
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Counts one more stream. Returns what ends it, once. */
  #count(caller: string, open: number): () => void {
    this.#open.set(caller, open + 1);
    this.#total += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#total -= 1;
      const left = (this.#open.get(caller) ?? 1) - 1;
      if (left > 0) this.#open.set(caller, left);
      else this.#open.delete(caller);
    };
  }
}

/** A browser opens six connections to one server, so this is five browsers of one person. */
const MOST_OF_CALLER = 32;
/** Each stream reads two streams of a gateway, which allows 512. */
const MOST_OF_ALL = 256;

function tooMany(message: string): Response {
  const response = problemResponse(429, "rate_limit_exceeded", message);
  response.headers.set("retry-after", "10");
  return response;
}

/** A copy of the response that calls `onOver` when its body has ended, or when its client is gone. */
function untilOver(response: Response, signal: AbortSignal, onOver: () => void): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) {
    onOver();
    return response;
  }
  const isEvents = headers.get("content-type")?.startsWith("text/event-stream") === true;
  const reader = body.getReader();
  // A server that notices the closed connection before it begins to send never reads or cancels the body.
  const leave = () => {
    onOver();
    void reader.cancel().catch(() => {});
  };
  const end = () => {
    signal.removeEventListener("abort", leave);
    onOver();
  };
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  const counted = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          // A program that has ended breaks its stream. For the page that is an end, and no fault of this server.
          if (isEvents) controller.close();
          else controller.error(error);
        }
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(counted, { status, statusText, headers });
}
