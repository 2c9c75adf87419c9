import type { HarnessV1StreamPart } from "@ai-sdk/harness";
import { describe, expect, it } from "vitest";
import { fc } from "../../../hawser/test/support/fc.js";
import { PartFeed } from "../../src/harness/part-feed.js";

const CHECKPOINT = Symbol.for("vercel.ai.harness.sandboxChannelEventCheckpoint");

describe("PartFeed", () => {
  it("delivers each piece of a text once and in order, however often the reader changes", () => {
    const action = fc.oneof(
      fc.record({ type: fc.constant("delta" as const), text: fc.string({ maxLength: 3 }) }),
      fc.record({ type: fc.constantFrom("attach" as const, "leave" as const) }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const feed = new PartFeed();
        let told = "";
        let expected = "";
        const read = () => {
          void feed.attach((part) => {
            if (part.type === "text-delta") told += part.delta;
          });
        };
        feed.push({ type: "text-start", id: "a" });
        for (const each of actions) {
          if ("text" in each) {
            expected += each.text;
            feed.push({ type: "text-delta", id: "a", delta: each.text });
          } else if (each.type === "attach") read();
          else feed.leave();
        }
        read();
        expect(told).toBe(expected);
      }),
    );
  });

  it("begins after the step where the reader has set a checkpoint, also if it got more", async () => {
    const feed = new PartFeed();
    const first: HarnessV1StreamPart[] = [];
    const done = feed.attach((part) => first.push(part));
    feed.push(text("one"));
    feed.push(finishStep());
    feed.push(text("two"));
    feed.push(text(" and three"));
    const checkpoint = first.find(({ type }) => type === "finish-step") as unknown as Checkpoint;
    checkpoint[CHECKPOINT].pin();
    feed.leave();
    await done;
    const second: HarnessV1StreamPart[] = [];
    void feed.attach((part) => second.push(part));
    expect(second).toEqual([text("two and three")]);
  });

  it("forgets a checkpoint that was released", () => {
    const feed = new PartFeed();
    const first: HarnessV1StreamPart[] = [];
    void feed.attach((part) => first.push(part));
    feed.push(finishStep());
    feed.push(text("two"));
    (first[0] as unknown as Checkpoint)[CHECKPOINT].pin()();
    feed.leave();
    const second: HarnessV1StreamPart[] = [];
    void feed.attach((part) => second.push(part));
    expect(second).toEqual([]);
  });

  it("shows a call that waits to each new reader, until it is answered", async () => {
    const feed = new PartFeed();
    const call: HarnessV1StreamPart = {
      type: "tool-call",
      toolCallId: "c",
      toolName: "t",
      input: "{}",
      stepToolCallCount: 2,
    };
    const seen: HarnessV1StreamPart[][] = [[], [], []];
    void feed.attach((part) => seen[0]?.push(part));
    feed.ask("c", [call], call);
    void feed.attach((part) => seen[1]?.push(part));
    feed.answered("c");
    await feed.allAnswered();
    void feed.attach((part) => seen[2]?.push(part));
    const { stepToolCallCount: _, ...shown } = call;
    expect(seen).toEqual([[call], [shown], []]);
  });

  it("ends the open text of a reader that leaves, and begins it again for the next", () => {
    const feed = new PartFeed();
    const seen: string[][] = [[], []];
    void feed.attach(({ type }) => seen[0]?.push(type));
    feed.push({ type: "text-start", id: "a" });
    feed.push(text("one"));
    feed.leave();
    void feed.attach(({ type }) => seen[1]?.push(type));
    feed.push({ type: "text-end", id: "a" });
    expect(seen).toEqual([
      ["text-start", "text-delta", "text-end"],
      ["text-start", "text-end"],
    ]);
  });

  it("tells a reader that comes after the end how the turn ended", async () => {
    const feed = new PartFeed();
    feed.push(text("one"));
    feed.end({ error: new Error("broken") });
    const seen: HarnessV1StreamPart[] = [];
    await expect(feed.attach((part) => seen.push(part))).rejects.toThrow("broken");
    expect(seen).toEqual([text("one")]);
    expect(feed.isRead).toBe(true);
  });
});

interface Checkpoint {
  readonly [CHECKPOINT]: { pin(): () => void };
}

function text(delta: string): HarnessV1StreamPart {
  return { type: "text-delta", id: "a", delta };
}

function finishStep(): HarnessV1StreamPart {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return { type: "finish-step", finishReason: { unified: "stop", raw: "end_turn" }, usage };
}
