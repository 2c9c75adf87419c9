import { hang, reply, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { until } from "../../../hawser/test/support/proc.js";
import { listeningGateway } from "../support/listening-gateway.js";
import { sseEvents } from "../support/read-sse.js";
import { type Departure, postOver, type Received } from "../support/socket-client.js";
import { WIRE_FORMATS } from "../support/wire-format.js";

// test/client-gone.full.test.ts shows the same for the Messages API.

const gateway = listeningGateway();
const { world, pids } = gateway;

const PARTS = [{ user: "Name a knot." }];
const TOOL = { name: "look_up", description: "Looks up a word." };

const post = (format: Format, isStreamed: boolean, leaves?: Departure): Promise<Received> => {
  const { port } = gateway;
  return postOver(port, format.path, format.body(PARTS, { isStreamed, tool: TOOL }), { leaves });
};

type Format = (typeof FORMATS)[number];
const FORMATS = [WIRE_FORMATS.chat, WIRE_FORMATS.responses];

/** About thirty answers of the real CLI. */
const LIMIT_MS = 180_000;

/** A text, and a call of the tool. */
const WHOLE = reply(["one two", toolUse(TOOL.name, { word: "knot" })], { chunks: 2 });

/** Nothing of the request is left, and the same process answers the next one. */
async function expectHandedOn(format: Format): Promise<void> {
  await until(() => world.gateway.openRequests === 0);
  await world.settled();
  expect(world.pool.stats().processes).toMatchObject({ recycled: 1, discarded: {} });
  world.script("The next answer.");
  const { text } = await post(format, false);
  expect(format.whole(text)).toMatchObject({ text: "The next answer.", isWhole: true });
  await world.settled();
  expect(pids.size).toBe(1);
}

describe.each(FORMATS)("a client that leaves, $name", (format) => {
  it(
    "after any event of a stream that ends: nothing is left, the process is handed on",
    async () => {
      world.script(WHOLE);
      const { text, hasLeft } = await post(format, true);
      expect(hasLeft).toBe(false);
      expect(format.streamed(text)).toMatchObject({ text: "one two", isWhole: true });
      const events = sseEvents(text).length;
      expect(events).toBeGreaterThan(5);
      for (let event = 1; event <= events; event += 1) {
        world.script(WHOLE);
        await post(format, true, { afterEvent: event });
        await expectHandedOn(format);
      }
    },
    LIMIT_MS,
  );

  it("after each of the first events of a stream that would never end: the turn is cancelled, the process handed on", async () => {
    const stalled = hang("one two three four five six seven", { chunks: 8 });
    for (const event of [1, 2, 3, 4, 5]) {
      world.script(stalled);
      const { text, hasLeft } = await post(format, true, { afterEvent: event });
      expect(hasLeft).toBe(true);
      expect(format.streamed(text).isWhole).toBe(false);
      await expectHandedOn(format);
    }
  });

  it.each([true, false])(
    "before the answer, streamed %s: the turn is cancelled, the process handed on",
    async (isStreamed) => {
      const asked = world.model.calls.length;
      world.script(hang());
      const when = until(() => world.model.calls.length > asked);
      const { hasLeft, text } = await post(format, isStreamed, { when });
      expect({ hasLeft, text }).toEqual({ hasLeft: true, text: "" });
      await expectHandedOn(format);
    },
  );
});
