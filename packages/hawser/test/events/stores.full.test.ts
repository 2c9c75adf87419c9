import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { TRACING_CHANNELS, type TracedCallback } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import { createPool } from "../../src/pool/index.js";
import { openSession } from "../../src/session/index.js";
import { text, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { world } from "../support/world.js";
import { eventsOf, watchEvents } from "./watched-events.helper.js";

const said = (words: string) => ({ content: [{ type: "text" as const, text: words }] });

describe.each(clisInTurn())("TRACING_CHANNELS on CLI $name", ({ path }) => {
  it("make a bound store active in tool handlers, canUseTool and hooks, and in what they await", async () => {
    const { options } = await world(path, [toolUse("mcp__ship__look", {}), text("Done.")]);
    const store = new AsyncLocalStorage<TracedCallback>();
    const { start } = TRACING_CHANNELS.callback;
    start.bindStore(store, (callback) => callback);
    onTestFinished(() => void start.unbindStore(store));
    const seen = watchEvents();
    const found: (TracedCallback | undefined)[] = [];
    const note = async () => {
      await sleep(1);
      found.push(store.getStore());
    };
    const look = tool("look", "Looks.", {}, async () => {
      await note();
      return said("Seen.");
    });
    await using session = await openSession({
      ...options,
      mcpServers: { ship: createSdkMcpServer({ name: "ship", tools: [look], alwaysLoad: true }) },
      canUseTool: async (_, updatedInput) => {
        await note();
        return { behavior: "allow", updatedInput };
      },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async () => {
                await note();
                return {};
              },
            ],
          },
        ],
      },
    });
    await session.send("Look.").text();
    const [{ toolUseId, turn, session: number } = {}] = eventsOf(seen, "toolStart");
    const ids = { session: number, turn, toolUseId, parentToolUseId: null };
    expect(found).toEqual([
      expect.objectContaining({ ...ids, kind: "hook", name: "PreToolUse" }),
      expect.objectContaining({ ...ids, kind: "can_use_tool", name: "mcp__ship__look" }),
      expect.objectContaining({ ...ids, kind: "tool_handler", name: "look" }),
    ]);
    expect(store.getStore()).toBe(undefined);
  });

  it("trace a call and its turn, from start to asyncEnd, with the ids of their events", async () => {
    const { options } = await world(path, ["A bowline."]);
    const seen = watchEvents();
    const steps: unknown[] = [];
    for (const [name, channel] of Object.entries({
      call: TRACING_CHANNELS.call,
      turn: TRACING_CHANNELS.turn,
    })) {
      for (const step of ["start", "end", "asyncStart", "asyncEnd", "error"] as const) {
        const listen = (context: unknown) => {
          steps.push([`${name} ${step}`, (context as Record<string, unknown>)[name]]);
        };
        channel[step].subscribe(listen);
        onTestFinished(() => void channel[step].unsubscribe(listen));
      }
    }
    await complete("Name a knot.", options);
    const call = eventsOf(seen, "callStart")[0]?.["call"];
    const turn = eventsOf(seen, "turnStart")[0]?.["turn"];
    expect(steps).toEqual([
      ["call start", call],
      ["call end", call],
      ["turn start", turn],
      ["turn end", turn],
      ["turn asyncStart", turn],
      ["turn asyncEnd", turn],
      ["call asyncStart", call],
      ["call asyncEnd", call],
    ]);
  });

  it("are not needed for the caller's own store, which a callback on a spare process has", async () => {
    const { options } = await world(path, [toolUse("Bash", { command: "rm mast" }), text("No.")]);
    const store = new AsyncLocalStorage<string>();
    const found: unknown[] = [];
    const call = {
      ...options,
      tools: ["Bash"],
      canUseTool: async () => {
        found.push(store.getStore());
        return { behavior: "deny" as const, message: "No." };
      },
    };
    const seen = watchEvents(["processAssigned"]);
    await using pool = store.run("the pool's", () => createPool({ warm: [call] }));
    await pool.ready();
    await store.run("the caller's", () => pool.complete("a", call));
    expect(eventsOf(seen, "processAssigned").map(({ how }) => how)).toEqual(["initialized"]);
    expect(found).toEqual(["the caller's"]);
  });
});
