import { tracingChannel } from "node:diagnostics_channel";
import { type Context, context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ContextStore } from "../src/context-store.js";

const KEY = Symbol("probe");

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());

describe("ContextStore", () => {
  it("makes a context active in the work of a tracing channel, and only there", async () => {
    const channel = tracingChannel<unknown, object>("hawser:otel:probe");
    const { start } = channel;
    const store = new ContextStore();
    start.bindStore(store as never, (() => marked()) as never);
    const inside = await channel.tracePromise(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return context.active().getValue(KEY);
    }, {});
    start.unbindStore(store as never);
    expect(inside).toBe("inside");
    expect(context.active().getValue(KEY)).toBeUndefined();
  });

  it.each([
    ["that can attach a context", {}],
    ["whose store has scopes", { attach: undefined, _asyncLocalStorage: scopedStore() }],
  ])("makes a context active in a scope, as Node 25.9 asks for, by a manager %s", (_, parts) => {
    context.disable();
    const manager = Object.assign(new AsyncLocalStorageContextManager(), parts);
    context.setGlobalContextManager(manager.enable());
    const scope = new ContextStore().withScope(marked());
    expect(context.active().getValue(KEY)).toBe("inside");
    scope[Symbol.dispose]();
    expect(context.active().getValue(KEY)).toBeUndefined();
  });

  it("leaves the context alone if the manager has no scopes", () => {
    context.disable();
    const scope = new ContextStore().withScope(marked());
    expect(context.active().getValue(KEY)).toBeUndefined();
    scope[Symbol.dispose]();
  });
});

function marked(): Context {
  return context.active().setValue(KEY, "inside");
}

/** A store of Node 25.9, as far as a context manager uses it. */
function scopedStore() {
  let current: Context | undefined;
  return {
    getStore: () => current,
    withScope: (active: Context) => {
      const before = current;
      current = active;
      return {
        dispose: () => {
          current = before;
        },
      };
    },
    disable: () => {},
  };
}
