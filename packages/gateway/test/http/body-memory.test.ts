import { describe, expect, it } from "vitest";
import type { TenantSource } from "../../src/gateway.js";
import { BodyMemory } from "../../src/http/body-memory.js";
import { anonymousTenant } from "../../src/tenants/anonymous-tenant.js";
import { gatewayWorld } from "../support/gateway-world.js";

const KIB = 1024;
const FREE = 64 * KIB;

describe("BodyMemory", () => {
  it("refuses a body beyond half of the limit for its tenant, and counts until it is released", () => {
    const memory = new BodyMemory();
    const first = memory.hold("alice", 1000);
    first.add(FREE + 400);
    const second = memory.hold("alice", 1000);
    second.add(FREE + 100);
    expect(() => second.add(1)).toThrow(expect.objectContaining({ code: "rate_limit_exceeded" }));
    const other = memory.hold("bob", 1000);
    other.add(FREE + 400);
    first.release();
    second.add(1);
    for (const body of [first, second, other]) body.release();
    expect([memory.counted(), memory.counted("alice")]).toEqual([0, 0]);
  });

  it("refuses with busy if the bodies of all tenants reach the limit", () => {
    const memory = new BodyMemory();
    for (const tenant of ["alice", "bob"]) memory.hold(tenant, 1000).add(FREE + 500);
    const third = memory.hold("carol", 1000);
    expect(() => third.add(FREE + 1)).toThrow(expect.objectContaining({ code: "busy" }));
  });

  it("takes a large body alone, and small bodies always", () => {
    const memory = new BodyMemory();
    memory.hold("alice", 1000).add(FREE + 5000);
    memory.hold("alice", 1000).add(FREE);
    expect(() => memory.hold("alice", 1000).add(FREE + 1)).toThrow();
  });
});

describe("bodyMemory", () => {
  /** Each key is the name of its tenant. */
  const tenants: TenantSource = {
    authenticate: (headers) => ({
      ...anonymousTenant(world.cliOptions),
      name: headers.get("x-api-key") ?? "",
    }),
  };
  const world = gatewayWorld({ tenants, http: { bodyMemory: 800 * KIB } });

  /** A request whose body does not end by itself. */
  function upload(path: string, tenant: string) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const client = new AbortController();
    // Node wants this field for a body that is a stream, and its types lack it.
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": tenant },
      body: readable,
      duplex: "half",
      signal: client.signal,
    };
    const response = world.fetch(path, init);
    const send = (bytes: number) => writer.write(Buffer.alloc(bytes, " "));
    const leave = () => {
      client.abort();
      return writer.abort();
    };
    return { response, send, leave };
  }

  it.each([
    ["/v1/messages", { type: "error", error: { type: "rate_limit_error" } }],
    ["/v1/chat/completions", { error: { code: "rate_limit_exceeded", param: null } }],
    ["/hawser/v1/sessions", { error: { code: "rate_limit_exceeded" } }],
  ])("ends at %s for one tenant with 429 in the client's shape", async (path, shape) => {
    const held = [upload(path, "alice"), upload(path, "alice")];
    for (const { send } of held) await send(250 * KIB);
    const third = upload(path, "alice");
    await third.send(100 * KIB).catch(() => {});
    const refused = await third.response;
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-should-retry")).toBe("true");
    expect(await refused.json()).toMatchObject(shape);
    // Another tenant is not affected, and a small request always gets through.
    const other = upload(path, "bob");
    await other.send(250 * KIB);
    const cancelled = await world.post("/v1/responses/resp_1/cancel", {}, { "x-api-key": "alice" });
    expect(cancelled.status).toBe(404);

    for (const { leave } of [...held, other]) await leave();
    const statuses = await Promise.all(held.map(async ({ response }) => (await response).status));
    expect(statuses).toEqual([499, 499]);
    const next = upload(path, "alice");
    await next.send(350 * KIB);
    await next.leave();
    await next.response;
  });
});
