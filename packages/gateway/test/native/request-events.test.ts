import { hang } from "hawser/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGateway, type TenantSource } from "../../src/gateway.js";
import { eventSchema } from "../../src/native/event-shape.js";
import { LiveState } from "../../src/native/live-state.js";
import { anonymousTenant } from "../../src/tenants/anonymous-tenant.js";
import { gatewayWorld } from "../support/gateway-world.js";
import { EventReader } from "./native-world.helper.js";

/** Each key is the name of its tenant, and "wrong" is no key. */
const tenants: TenantSource = {
  authenticate: (headers) => {
    const name = headers.get("x-api-key") ?? "";
    if (name === "wrong") throw new Error("no key");
    return { ...anonymousTenant(world.cliOptions), name, isAdmin: name === "admin" };
  },
};
const world = gatewayWorld({ tenants });

async function watch(tenant: string, after?: string): Promise<EventReader> {
  const leave = new AbortController();
  const { body } = await world.fetch("/hawser/v1/events?kinds=request", {
    headers: { "x-api-key": tenant, ...(after && { "last-event-id": after }) },
    signal: leave.signal,
  });
  if (body === null) throw new Error("The stream has no body.");
  const reader = new EventReader(body, leave);
  onTestFinished(() => reader.leave());
  // The stream begins when it is read.
  if (after === undefined) await reader.untilKind("snapshot", 0);
  return reader;
}

function ask(tenant: string, more: object = {}, signal?: AbortSignal): Promise<Response> {
  const messages = [{ role: "user", content: "PLANTED-PROMPT" }];
  const body = { model: "sonnet", max_tokens: 9, messages, ...more };
  return world.post("/v1/messages", body, { "x-api-key": tenant }, signal);
}

describe("request.start and request.end", () => {
  it("tell what a request was, without its content, to its tenant and to admins", async () => {
    const [alice, bob, admin] = [await watch("alice"), await watch("bob"), await watch("admin")];
    world.script("PLANTED-ANSWER");
    const response = await ask("alice");
    await response.text();
    const { data: start } = await alice.untilKind("request.start", 0);
    const { data: end } = await alice.untilKind("request.end", 0);
    const request = response.headers.get("request-id");
    const common = { request, tenant: "alice", method: "POST", path: "/v1/messages" };
    expect(start).toEqual({ ...common, kind: "request.start", id: start.id, at: start.at });
    expect(end).toMatchObject({
      ...{ ...common, route: "/v1/messages", status: 200, model: "sonnet" },
      ...{ isStreamed: false, isAborted: false, isEstimate: false, stopReason: "end_turn" },
      usage: { inputTokens: 10, outputTokens: 5 },
    });
    expect(end.costUsd).toBeGreaterThan(0);
    expect(end.ms).toBeGreaterThan(0);
    const { properties } = eventSchema("request.end") as { properties: object };
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(end)));
    await admin.until(({ data }) => data.kind === "request.end" && data.request === request, 0);

    // The tenant bob sees only its own request, although its stream has been open all the time.
    await (await world.fetch("/v1/models", { headers: { "x-api-key": "bob" } })).text();
    await bob.untilKind("request.end", 0);
    const seen = bob.seen.slice(1).map(({ data }) => [data.kind, data.tenant, data.path]);
    expect(seen).toEqual([
      ["request.start", "bob", "/v1/models"],
      ["request.end", "bob", "/v1/models"],
    ]);
    expect(JSON.stringify([alice.seen, bob.seen, admin.seen])).not.toContain("PLANTED");
  });

  it("are numbered and resumable, and add up to the requests of the state", async () => {
    const first = await watch("admin");
    const { data: snapshot } = await first.untilKind("snapshot", 0);
    world.script("A bowline.");
    await (await ask("alice")).text();
    const { id } = await first.untilKind("request.start", 0);
    const again = await watch("admin", id);
    const { data: end } = await again.untilKind("request.end", 0);
    expect(again.seen[0]?.data.kind).toBe("request.end");
    const state = new LiveState(snapshot);
    for (const { data } of [...first.seen.slice(1), ...again.seen]) state.apply(data);
    const shown = await world.fetch("/hawser/v1/state", { headers: { "x-api-key": "admin" } });
    const { requests } = (await shown.json()) as { requests: object[] };
    expect(requests).toEqual(JSON.parse(JSON.stringify(state.snapshot().requests)));
    expect(requests.at(-1)).toMatchObject({ request: end.request, status: 200, model: "sonnet" });
    const other = await world.fetch("/hawser/v1/state", { headers: { "x-api-key": "bob" } });
    expect(JSON.stringify(await other.json())).not.toContain(end.request);
  });

  it("have the code of a refusal, and say that a client was gone with an estimate", async () => {
    const events = await watch("alice");
    await ask("alice", { model: "nothing" });
    const { data: refused } = await events.untilKind("request.end", 0);
    expect(refused).toMatchObject({ status: 404, code: "model_not_found" });
    expect(refused.usage).toBeUndefined();
    const client = new AbortController();
    world.script(hang());
    const asked = world.nextCall();
    const answer = ask("alice", {}, client.signal);
    await asked;
    const { data: running } = await events.until(
      ({ data }) => data.kind === "request.start" && data.request !== refused.request,
      0,
    );
    client.abort();
    expect((await answer).status).toBe(499);
    const { data: left } = await events.until(
      ({ data }) => data.kind === "request.end" && data.request === running.request,
      0,
    );
    expect(left).toMatchObject({ status: 499, isAborted: true, isEstimate: true, code: "aborted" });
    expect(left.usage.inputTokens).toBeGreaterThan(0);
  });

  it("are not made for requests without a valid key, for the native API, or for another gateway", async () => {
    const events = await watch("admin");
    const { data: before } = await events.untilKind("snapshot", 0);
    await ask("wrong");
    await world.fetch("/health");
    await world.fetch("/hawser/v1/state", { headers: { "x-api-key": "alice" } });
    const other = createGateway({ pool: world.pool, tenants });
    onTestFinished(() => other.close());
    await other.fetch(new Request("http://localhost/v1/models", { headers: { "x-api-key": "a" } }));
    await world.fetch("/v1/models", { headers: { "x-api-key": "bob" } });
    const { id } = await events.untilKind("request.end", 0);
    expect(events.seen.slice(1).map(({ data }) => data.tenant)).toEqual(["bob", "bob"]);
    const numberOf = (each: string) => Number(each.split("-")[1]);
    expect(numberOf(id) - numberOf(before.id)).toBe(2);
  });
});
