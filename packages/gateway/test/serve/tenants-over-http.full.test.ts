import { CHANNELS, type ProcessEvent } from "hawser";
import { hang } from "hawser/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createKey, hashKey } from "../../src/tenants/api-key.js";
import { type ServedWorld, servedWorld } from "../support/served-world.js";

const KEYS = { alice: createKey(), bob: createKey() };
const keysOf = (tenant: keyof typeof KEYS) => ({ keys: [hashKey(KEYS[tenant])] });
const pool = { size: { min: 0, max: 2 } };

function ask({ ask: send }: ServedWorld, tenant: keyof typeof KEYS, content: string) {
  const messages = [{ role: "user", content }];
  return send("/v1/messages", { model: "sonnet", max_tokens: 100, messages }, KEYS[tenant]);
}

describe("tenants with their own isolation over HTTP", () => {
  it("never see a text of the other tenant, and `process` never shares a process", async () => {
    const world = await servedWorld({
      pool: { ...pool, isolation: "conversation" },
      tenants: { alice: { ...keysOf("alice"), isolation: "process" }, bob: keysOf("bob") },
    });
    const pids: (number | undefined)[] = [];
    const note = ({ pid }: ProcessEvent) => void pids.push(pid);
    CHANNELS.processAssigned.subscribe(note);
    onTestFinished(() => CHANNELS.processAssigned.unsubscribe(note));
    const used = { alice: [] as (number | undefined)[], bob: [] as (number | undefined)[] };
    for (let round = 0; round < 3; round += 1) {
      for (const tenant of ["alice", "bob"] as const) {
        pids.length = 0;
        const canary = `CANARY-${tenant}-${round}`;
        world.script(({ prompt }) => `I saw ${prompt}`);
        const response = await ask(world, tenant, canary);
        expect(response.status).toBe(200);
        expect(await response.text()).toContain(canary);
        used[tenant].push(...pids);
        const request = JSON.stringify(world.calls.at(-1)?.body);
        expect(request.match(/CANARY-\w+-\d/g)).toEqual([canary]);
      }
    }
    // Each request of alice has a process of its own, and bob's requests share theirs.
    expect(new Set(used.alice).size).toBe(3);
    expect(new Set(used.bob).size).toBeLessThan(3);
    expect(used.alice.filter((pid) => used.bob.includes(pid))).toEqual([]);
  });
});

const agents = { helper: {} };

describe("native sessions", () => {
  it("leave a place of the pool for the requests of other tenants", async () => {
    const tenants = { alice: keysOf("alice"), bob: keysOf("bob") };
    const world = await servedWorld({ pool, agents, tenants });
    const open = () => world.ask("/hawser/v1/sessions", { agent: "helper" }, KEYS.alice);
    // The pool has two places.
    const statuses = (await Promise.all([open(), open(), open()])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 429, 429]);
    expect((await ask(world, "bob", "A knot?")).status).toBe(200);
  });
});

describe("limits of native turns", () => {
  async function opened(world: ServedWorld): Promise<string> {
    const response = await world.ask("/hawser/v1/sessions", { agent: "helper" }, KEYS.alice);
    const { session } = (await response.json()) as { session: { id: string } };
    return session.id;
  }

  const turn = (world: ServedWorld, id: string, query = "?wait=1") =>
    world.ask(`/hawser/v1/sessions/${id}/turns${query}`, { prompt: "A knot?" }, KEYS.alice);

  it("count the second turn of requestsPerMinute: 1 as 429 with retry-after", async () => {
    const alice = { ...keysOf("alice"), requestsPerMinute: 1 };
    const world = await servedWorld({ pool, agents, tenants: { alice } });
    const id = await opened(world);
    expect((await turn(world, id)).status).toBe(200);
    const refused = await turn(world, id);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(30);
    expect(refused.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } });
    expect(world.calls).toHaveLength(1);
  });

  it("count a turn that runs towards concurrency, until it is interrupted", async () => {
    const alice = { ...keysOf("alice"), concurrency: 1 };
    const world = await servedWorld({ pool, agents, tenants: { alice } });
    const id = await opened(world);
    world.script(hang());
    const asked = world.nextCall();
    expect((await turn(world, id, "")).status).toBe(202);
    await asked;
    expect((await turn(world, id)).status).toBe(429);
    // The limit of native turns also holds for the other endpoints.
    expect((await ask(world, "alice", "A knot?")).status).toBe(429);
    await world.ask(`/hawser/v1/sessions/${id}/interrupt`, {}, KEYS.alice);
    // The turn ends a moment after the answer to the interrupt.
    await expect.poll(async () => (await turn(world, id)).status, { timeout: 20_000 }).toBe(200);
  });

  it("refuse a turn when usdPerDay is spent, also by an interrupted turn", async () => {
    const alice = { ...keysOf("alice"), usdPerDay: 0.000001 };
    const world = await servedWorld({ pool, agents, tenants: { alice } });
    const id = await opened(world);
    world.script(hang());
    const asked = world.nextCall();
    const cut = turn(world, id);
    await asked;
    await world.ask(`/hawser/v1/sessions/${id}/interrupt`, {}, KEYS.alice);
    await cut;
    const refused = await turn(world, id);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { code: "insufficient_quota" } });
  });
});
