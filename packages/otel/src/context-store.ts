import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, context } from "@opentelemetry/api";

/**
 * A store for `channel.bindStore()` that runs the work of the channel inside a context of OpenTelemetry. It keeps
 * nothing itself: the registered context manager does, whenever it is registered.
 */
export class ContextStore extends AsyncLocalStorage<Context> {
  /** Node before 25.9 calls this for each store that is bound. Any context manager will do. */
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

  /** Newer Node calls this instead, and disposes of the result when the work has returned. */
  withScope(active: Context): Disposable {
    const scope = attach(active);
    return { [Symbol.dispose]: () => scope?.dispose() };
  }
}

interface Scope {
  dispose(): void;
}

/**
 * What makes a context active without a function. It is public in the API since 1.10; the context manager of
 * OpenTelemetry has it with older APIs, too. Before, that manager keeps contexts in a store of Node.
 */
interface Attaching {
  attach?(active: Context): Scope;
  _getContextManager?(): Attaching;
  readonly _asyncLocalStorage?: { withScope?(active: Context): Scope };
}

function attach(active: Context): Scope | undefined {
  const api = context as unknown as Attaching;
  const manager = api._getContextManager?.();
  if (manager?.attach !== undefined) return manager.attach(active);
  return manager?._asyncLocalStorage?.withScope?.(active) ?? api.attach?.(active);
}
