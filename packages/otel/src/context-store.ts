import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, context } from "@opentelemetry/api";

/**
 * A store for `channel.bindStore()` that runs the work of the channel inside a context of OpenTelemetry. It keeps
 * nothing itself: the registered context manager does, whatever it is and whenever it is registered.
 */
export class ContextStore extends AsyncLocalStorage<Context> {
  /** Node up to 25.8 calls this for each store that is bound. */
  override run<R>(active: Context, callback: () => R): R;
  override run<R, Args extends unknown[]>(
    active: Context,
    callback: (...args: Args) => R,
    ...args: Args
  ): R;
  override run(
    active: Context,
    callback: (...args: unknown[]) => unknown,
    ...args: unknown[]
  ): unknown {
    return context.with(active, callback, undefined, ...args);
  }

  /**
   * Newer Node calls this instead, and disposes of the result when the work has returned. `attach()` is in the
   * API since 1.10.
   */
  withScope(active: Context): Disposable {
    const token = (context as Partial<AttachingContext>).attach?.(active);
    return { [Symbol.dispose]: () => token?.dispose() };
  }
}

interface AttachingContext {
  attach(active: Context): { dispose(): void };
}
