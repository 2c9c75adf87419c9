import { describe, expect, it } from "vitest";
import { requestedFacts } from "../../src/options/index.js";
import { SessionObserver } from "../../src/session/observe/session-observer.js";
import type { Message, StreamEvent } from "../../src/wire/index.js";
import { lineOf, mutationsAt, placesIn } from "../fuzz/mutate.helper.js";
import { AROUND, type Json, recorded } from "../fuzz/samples.helper.js";
import { unpaired, watchEvents } from "./watched-events.helper.js";

describe.each(["2.1.325", "2.1.197"] as const)("SessionObserver on messages of %s", (version) => {
  it("never fails, whatever a field holds, and ends all that it has begun", () => {
    const seen = watchEvents();
    const faults: unknown[] = [];
    const note = (message: string, fields?: unknown) => void faults.push([message, fields]);
    const log = { debug: note, info: note, warn: note, error: note };
    const session = { id: "s", activeTurn: undefined, log };
    const requested = requestedFacts({});
    const facts = { session: 1, purpose: "session", startedAt: 0, requested } as const;
    const observer = new SessionObserver(session, facts);
    const messages: readonly Json[] = [...recorded(version), ...AROUND];
    for (const message of messages) {
      for (const path of placesIn(message)) {
        for (const mutation of mutationsAt(message, path)) {
          give(observer, JSON.parse(lineOf(mutation.message)));
          give(observer, message);
          if (faults.length > 0) throw new Error(`${mutation.name}: ${JSON.stringify(faults)}`);
        }
      }
    }
    observer.onOver("closed", undefined);
    expect(faults).toEqual([]);
    expect(unpaired(seen)).toEqual([]);
    expect(seen.length).toBeGreaterThan(100);
  });
});

function give(observer: SessionObserver, message: Json): void {
  if (message["type"] === "stream_event") observer.onEvents([message as unknown as StreamEvent]);
  else observer.onMessage(message as Message);
}
