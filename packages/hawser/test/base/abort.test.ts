import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listenForAbort } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import { createPool } from "../../src/pool/index.js";
import { openSession } from "../../src/session/index.js";
import { fakeCli } from "../../src/testing/index.js";

const count = ({ signal }: AbortController) => getEventListeners(signal, "abort").length;

describe("listenForAbort()", () => {
  it("adds one listener to a signal, and removes it after the last call", () => {
    const controller = new AbortController();
    const told: number[] = [];
    const stop = Array.from({ length: 50 }, (_, at) =>
      listenForAbort(controller.signal, () => void told.push(at)),
    );
    expect(count(controller)).toBe(1);
    for (const each of stop.slice(0, 49)) each();
    expect(count(controller)).toBe(1);
    stop[0]?.();
    stop[49]?.();
    expect(count(controller)).toBe(0);
    const again = listenForAbort(controller.signal, () => void told.push(99));
    expect(count(controller)).toBe(1);
    controller.abort();
    again();
    expect([told, count(controller)]).toEqual([[99], 0]);
  });

  it("calls all listeners in order, each once, but not a listener that was removed meanwhile", () => {
    const controller = new AbortController();
    const told: string[] = [];
    let stopThird = () => {};
    listenForAbort(controller.signal, () => {
      told.push("first");
      stopThird();
    });
    const second = () => void told.push("second");
    listenForAbort(controller.signal, second);
    listenForAbort(controller.signal, second);
    stopThird = listenForAbort(controller.signal, () => void told.push("third"));
    controller.abort();
    expect(told).toEqual(["first", "second", "second"]);
  });

  it("calls the other listeners when one throws, and reports its error as uncaught", () => {
    const later = vi.spyOn(globalThis, "queueMicrotask").mockImplementation(() => {});
    onTestFinished(() => later.mockRestore());
    const controller = new AbortController();
    const told: string[] = [];
    listenForAbort(controller.signal, () => {
      throw new Error("of the first");
    });
    listenForAbort(controller.signal, () => void told.push("second"));
    controller.abort();
    expect(told).toEqual(["second"]);
    expect(later.mock.calls).toHaveLength(1);
    expect(later.mock.calls[0]?.[0]).toThrow("of the first");
  });
});

describe("forty calls that share one AbortSignal", () => {
  it("cause no MaxListenersExceededWarning, and leave no listener behind", async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error) => void warnings.push(name);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const cli = await fakeCli({ steps: [{ on: "user", do: [{ hang: true }] }] });
    onTestFinished(() => cli.dispose());
    const pool = createPool({ size: { max: 1 } });
    onTestFinished(() => pool.close());
    const controller = new AbortController();
    const options = { cliPath: cli.path, signal: controller.signal };
    const session = await openSession(options);
    const requests = Array.from({ length: 20 }, () =>
      session.request("never_answered", {}, { signal: controller.signal }),
    );
    const calls = [
      complete("hi", options),
      ...Array.from({ length: 20 }, () => pool.complete("hi", options)),
      ...requests,
    ];
    const settled = Promise.allSettled(calls);
    // Warnings come in a later turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(count(controller)).toBeGreaterThan(0);
    controller.abort();
    await settled;
    await session.close();
    expect(warnings.filter((name) => name === "MaxListenersExceededWarning")).toEqual([]);
    expect(count(controller)).toBe(0);
  });
});
