import type { RequestHandler } from "../../control/index.js";

/** Counts what is being waited for beside the model; meanwhile its silence means nothing. */
export class PendingHostRequests {
  readonly #onChange: (pending: number) => void;
  #pending = 0;

  constructor(onChange: (pending: number) => void) {
    this.#onChange = onChange;
  }

  /** Until the returned function is called. */
  begin(): () => void {
    let busy = true;
    this.#change(1);
    return () => {
      if (busy) this.#change(-1);
      busy = false;
    };
  }

  /** The handler, each of whose answers is waited for. */
  during(handler: RequestHandler): RequestHandler {
    return async (request, context) => {
      const done = this.begin();
      // A callback that goes on after the CLI has lost interest holds nothing up.
      context.signal.addEventListener("abort", done, { once: true });
      try {
        return await handler(request, context);
      } finally {
        context.signal.removeEventListener("abort", done);
        done();
      }
    };
  }

  #change(by: number): void {
    this.#pending += by;
    this.#onChange(this.#pending);
  }
}
