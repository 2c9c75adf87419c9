import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { hang, reply, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { listeningGateway } from "./support/listening-gateway.js";

const gateway = listeningGateway();
const { world, pids } = gateway;

const BODY = {
  model: "sonnet",
  max_tokens: 100,
  messages: [{ role: "user", content: "Name a knot." }],
  tools: [{ name: "a", input_schema: { type: "object" } }],
};

/** Sends a request over a socket of its own. */
function send(more: object) {
  const { port } = gateway;
  const sent = request({
    host: "127.0.0.1",
    port,
    path: "/v1/messages",
    method: "POST",
    agent: false,
    headers: { "content-type": "application/json" },
  });
  sent.on("error", () => {
    // The test closes the socket itself.
  });
  sent.end(JSON.stringify({ ...BODY, ...more }));
  return sent;
}

/** Reads this many events, and then closes the socket. Returns the names of the events. */
async function leaveAfter(events: number): Promise<string[]> {
  const sent = send({ stream: true });
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  const names = () => [...text.matchAll(/^event: (\w+)\n.*\n\n/gm)].map(([, name]) => name ?? "");
  try {
    for await (const chunk of response) {
      text += String(chunk);
      if (names().length >= events) break;
    }
  } finally {
    sent.destroy();
  }
  return names();
}

/** Nothing of the request is left, and the same process answers the next one. */
async function expectHandedOn(): Promise<void> {
  await world.settled();
  expect(world.gateway.openRequests).toBe(0);
  expect(world.pool.stats().processes.discarded).toEqual({});
  world.script("The next answer.");
  const next = await world.post("/v1/messages", BODY);
  expect(await next.json()).toMatchObject({ content: [{ text: "The next answer." }] });
  await world.settled();
  expect(pids.size).toBe(1);
}

describe("a client that leaves", () => {
  it.each([1, 2, 3, 4, 5])(
    "after event %i of a stream that would never end: the turn is cancelled, the process handed on",
    async (events) => {
      world.script(hang("one two three four five six seven", { chunks: 8 }));
      const names = await leaveAfter(events);
      expect(names[0]).toBe("message_start");
      await expectHandedOn();
    },
  );

  it.each([6, 7, 8, 9, 10, 11])(
    "after event %i of a stream that ends: nothing is left, the process is handed on",
    async (events) => {
      world.script(reply(["one two", toolUse("a", {})], { chunks: 2 }));
      await leaveAfter(events);
      await expectHandedOn();
    },
  );

  it("before the first event: the turn is cancelled, the process handed on", async () => {
    world.script(hang());
    const asked = world.nextCall();
    const sent = send({ stream: true });
    await asked;
    sent.destroy();
    await expectHandedOn();
  });

  it("while it waits for an answer without streaming: the turn is cancelled, the process handed on", async () => {
    world.script(hang("one two"));
    const asked = world.nextCall();
    const sent = send({});
    await asked;
    sent.destroy();
    await expectHandedOn();
  });
});

describe("a reader of the response body that cancels it", () => {
  it("ends the turn, although the signal of the request is never aborted", async () => {
    world.script(hang("one two three", { chunks: 4 }));
    const response = await world.post("/v1/messages", { ...BODY, stream: true });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await expectHandedOn();
  });
});

describe("Gateway.close()", () => {
  it("ends the answers that are open with an error", async () => {
    world.script(hang("one two three", { chunks: 4 }));
    const response = await world.post("/v1/messages", { ...BODY, stream: true });
    const text = response.text();
    await world.gateway.close();
    expect(await text).toMatch(/event: error\n.*The gateway closes/);
    expect(await text).not.toContain("message_stop");
    await world.settled();
  });
});
