import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { RunEventBody } from "../../src/runs/run.js";
import { EventWriter } from "../../src/worker/segment/event-writer.js";

function recorder() {
  const written: RunEventBody[] = [];
  const failures: unknown[] = [];
  const writer = new EventWriter(
    async (events) => void written.push(...events),
    (error) => void failures.push(error),
  );
  return { written, failures, writer };
}

describe("EventWriter", () => {
  it("joins the text of 200 ms, and drops what the whole message has", async () => {
    const { written, writer } = recorder();
    writer.addText("one ");
    writer.addText("two ");
    while (written.length === 0) await sleep(10);
    writer.addText("three");
    writer.addMessage({ text: "one two three" });
    await writer.close();
    expect(written).toEqual([
      { type: "text", text: "one two " },
      { type: "message", message: { text: "one two three" } },
    ]);
  });

  it("writes in order, one write at a time", async () => {
    const order: string[] = [];
    const writer = new EventWriter(
      async (events) => {
        await sleep(events.length % 2 === 0 ? 1 : 5);
        for (const event of events) if (event.type === "returned") order.push(event.reason);
      },
      () => {},
    );
    const expected = Array.from({ length: 50 }, (_, number) => String(number));
    for (const reason of expected) {
      writer.add({ type: "returned", reason });
      if (Number(reason) % 7 === 0) await sleep(2);
    }
    await writer.close();
    expect(order).toEqual(expected);
  });

  it("reports the first failure, writes nothing after it, and still closes", async () => {
    let writes = 0;
    const failures: unknown[] = [];
    const writer = new EventWriter(
      async () => {
        writes += 1;
        throw new Error("refused");
      },
      (error) => void failures.push(error),
    );
    writer.add({ type: "queued" });
    await sleep(5);
    writer.add({ type: "queued" });
    writer.addText("late");
    await writer.close();
    expect(writes).toBe(1);
    expect(failures).toMatchObject([{ message: "refused" }]);
  });
});
