import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CHANNELS, type EventChannel } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { SessionObserver } from "../../src/session/observe/session-observer.js";
import { open } from "../session/fake.helper.js";
import { reusedFake } from "../support/reused-fake.js";
import { eventsOf, unpaired, watchEvents } from "./watched-events.helper.js";

describe("CHANNELS without a subscriber", () => {
  it("leave a session without an observer, so that nothing looks at its messages", async () => {
    const looks = vi.spyOn(SessionObserver.prototype, "onMessage");
    onTestFinished(() => looks.mockRestore());
    const { session } = await open();
    await session.send("x").text();
    expect(looks).not.toHaveBeenCalled();
  });

  it("gain an observer at the next turn of a session, which reports its start late", async () => {
    const { session } = await open();
    await session.send("one").text();
    const seen = watchEvents();
    await session.send("two").text();
    await session.close();
    expect(eventsOf(seen, "turnStart").length).toBe(1);
    const [start] = eventsOf(seen, "sessionStart");
    const [turn] = eventsOf(seen, "turnStart");
    expect(Number(start?.["at"])).toBeLessThan(Number(turn?.["at"]));
    expect(unpaired(seen)).toEqual([]);
  });
});

describe("a subscriber that throws", () => {
  it("does not break a call; Node reports the error as an uncaught exception", async () => {
    const caught = catchUncaught();
    for (const channel of Object.values(CHANNELS) as EventChannel<unknown>[]) {
      const listen = (_: unknown, name: string | symbol) => {
        throw new Error(String(name));
      };
      channel.subscribe(listen);
      onTestFinished(() => channel.unsubscribe(listen));
    }
    const cli = await reusedFake({});
    const { text } = await complete("x", { cliPath: cli.path });
    expect(text).toBe("ok");
    await vi.waitFor(() => expect(caught).toContain("hawser:call:end"));
    expect(caught).toEqual(expect.arrayContaining(["hawser:call:start", "hawser:turn:end"]));
  });
});

/** The messages of uncaught exceptions, which vitest would count as failures. */
function catchUncaught(): string[] {
  const caught: string[] = [];
  const listeners = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", ({ message }) => caught.push(message));
  onTestFinished(async () => {
    // The last errors are reported in the next step of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners("uncaughtException");
    for (const listener of listeners) process.on("uncaughtException", listener);
  });
  return caught;
}

it("CHANNELS are those of node:diagnostics_channel, so that their names suffice", async () => {
  const seen: unknown[] = [];
  const listen = (event: unknown) => seen.push(event);
  subscribe("hawser:turn:end", listen);
  onTestFinished(() => void unsubscribe("hawser:turn:end", listen));
  expect(CHANNELS.turnEnd.hasSubscribers).toBe(true);
  const cli = await reusedFake({});
  await complete("x", { cliPath: cli.path });
  expect(seen).toEqual([expect.objectContaining({ outcome: "ok" })]);
});
