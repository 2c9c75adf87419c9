import { setTimeout as sleep } from "node:timers/promises";
import { apiError, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { startDatabaseProxy } from "../support/database-proxy.js";
import { beganAt, callStored, HostWorld, until } from "../support/host-world.js";
import { NetworkNamespace } from "../support/network-namespace.js";
import { RestartablePostgres } from "../support/restartable-postgres.js";
import { expectInvariants } from "./invariants.helper.js";
import { LEASE_MS } from "./killed-host.helper.js";

/** Counts itself before and after a pause, as often as it is run. */
function counting(path: string, seconds: number) {
  const command = `echo begun >> ${path}; sleep ${seconds}; echo ended >> ${path}; echo counted`;
  return toolUse("Bash", { command, description: "count" });
}

describe("a network between a host and the database", { timeout: 300_000 }, () => {
  it("that is cut for longer than the lease: the host kills its CLI before another one begins, and writes nothing later", async () => {
    await using world = await HostWorld.create();
    const proxy = await startDatabaseProxy(world.url);
    const trace = world.trace("cut");
    const name = world.agent(({ results }) =>
      results.length === 0 ? counting(trace.path, 600) : `Heard: ${results[0]}`,
    );
    const cut = await world.host("cut-1", { database: proxy.url });
    const run = await world.fleet.submit(`${name} Go.`);
    await until(() => trace.lines().includes("begun"));
    await callStored(world, run);
    const cutAt = Date.now();
    proxy.freeze();
    await world.host("cut-2");
    // The host that is cut off ends its CLI before the lease is over.
    await until(() => cut.processes().length === 1);
    const endedAt = Date.now();
    const began = await beganAt(world, run, 2);
    expect(endedAt).toBeLessThan(began);
    expect(began - cutAt).toBeLessThan(LEASE_MS + 5_000);
    expect((await run.result()).text).toMatch(/^Heard: The machine that ran this call was lost/);
    proxy.resume();
    proxy.cut();
    // It works again as soon as the network does.
    const others = await Promise.all(
      Array.from({ length: 4 }, () => world.fleet.submit(`${world.agent(() => "Other.")} Go.`)),
    );
    for (const other of others) expect(await other.result()).toMatchObject({ text: "Other." });
    expect(trace.lines()).toEqual(["begun"]);
    await expectInvariants(world);
    await cut.dispose();
    await proxy.close();
  });

  it("that is gone for a moment: the run goes on in the same segment, and nothing is lost", async () => {
    await using world = await HostWorld.create();
    const proxy = await startDatabaseProxy(world.url);
    const trace = world.trace("moment");
    const name = world.agent(({ results }) =>
      results.length < 2 ? counting(trace.path, 4) : `Done: ${results.length}`,
    );
    const host = await world.host("moment", { database: proxy.url });
    const run = await world.fleet.submit(`${name} Go.`);
    await until(() => trace.lines().includes("begun"));
    proxy.cut();
    expect(await run.result()).toMatchObject({ text: "Done: 2", segments: 1, uncertainTools: [] });
    expect(trace.lines()).toEqual(["begun", "ended", "begun", "ended"]);
    await expectInvariants(world);
    await host.dispose();
    await proxy.close();
  });
});

describe("a cable between a host and the rest of the world", { timeout: 300_000 }, () => {
  it("that is pulled for longer than the lease, in a network namespace: another host goes on, and the cut one writes nothing later", async ({
    skip,
  }) => {
    const network = NetworkNamespace.create();
    if (network === undefined) return skip("This machine makes no network namespaces.");
    {
      await using world = await HostWorld.create();
      const { address } = network;
      const folder = new URL(world.url).searchParams.get("host") ?? "";
      const database = new URL(world.url);
      database.searchParams.delete("host");
      database.hostname = address;
      database.port = String(await network.forward({ path: `${folder}/.s.PGSQL.5432` }));
      const modelPort = await network.forward({ port: Number(new URL(world.modelUrl).port) });
      const trace = world.trace("pulled");
      const name = world.agent(({ results }) =>
        results.length === 0 ? counting(trace.path, 600) : `Heard: ${results[0]}`,
      );
      const cut = await world.host("pulled-1", {
        command: network.command,
        database: database.href,
        modelUrl: `http://${address}:${modelPort}`,
        noProxy: address,
      });
      const run = await world.fleet.submit(`${name} Go.`);
      await until(() => trace.lines().includes("begun"));
      await callStored(world, run);
      const cutAt = Date.now();
      network.cut();
      await world.host("pulled-2");
      await until(() => cut.processes().length === 1);
      const endedAt = Date.now();
      const began = await beganAt(world, run, 2);
      expect(endedAt).toBeLessThan(began);
      expect(began - cutAt).toBeLessThan(LEASE_MS + 5_000);
      expect((await run.result()).text).toMatch(/^Heard: The machine that ran this call was lost/);
      network.join();
      await sleep(LEASE_MS);
      expect(trace.lines()).toEqual(["begun"]);
      await expectInvariants(world);
    }
    network.dispose();
  });
});

describe("a database that is killed and comes back", { timeout: 300_000 }, () => {
  it("after a moment: the run goes on in the same segment", async ({ skip }) => {
    const postgres = await RestartablePostgres.start();
    if (postgres === undefined) return skip("The test run uses a server that it may not kill.");
    {
      await using world = await HostWorld.create(postgres.url);
      const trace = world.trace("short");
      const name = world.agent(({ results }) =>
        results.length === 0 ? counting(trace.path, 6) : "Done.",
      );
      await world.host("short");
      const run = await world.fleet.submit(`${name} Go.`);
      await until(() => trace.lines().includes("begun"));
      const killedAt = Date.now();
      await postgres.kill();
      await sleep(1_000);
      await postgres.restart();
      const outageMs = Date.now() - killedAt;
      const { text, segments, uncertainTools } = await run.result();
      expect(text).toBe("Done.");
      // On a busy machine, the restart alone can take longer than the lease.
      if (outageMs < LEASE_MS / 2) expect(segments).toBe(1);
      expect(uncertainTools).toHaveLength(segments - 1);
      if (segments === 1) expect(trace.lines()).toEqual(["begun", "ended"]);
      await expectInvariants(world);
    }
    await postgres.dispose();
  });

  it("after longer than the lease: the host kills its CLI, and the run goes on when the database is back", async ({
    skip,
  }) => {
    const postgres = await RestartablePostgres.start();
    if (postgres === undefined) return skip("The test run uses a server that it may not kill.");
    {
      await using world = await HostWorld.create(postgres.url);
      const trace = world.trace("long");
      const name = world.agent(({ results }) =>
        results.length === 0 ? counting(trace.path, 600) : `Heard: ${results[0]}`,
      );
      const host = await world.host("long");
      const run = await world.fleet.submit(`${name} Go.`);
      await until(() => trace.lines().includes("begun"));
      await callStored(world, run);
      await postgres.kill();
      await until(() => host.processes().length === 1);
      await sleep(LEASE_MS / 2);
      await postgres.restart();
      expect((await run.result()).text).toMatch(/^Heard: The machine that ran this call was lost/);
      expect(trace.lines()).toEqual(["begun"]);
      await expectInvariants(world);
    }
    await postgres.dispose();
  });
});

describe("a host whose clock is an hour ahead", { timeout: 300_000 }, () => {
  it("pauses an account for as long as the API says, by the clock of the database", async () => {
    await using world = await HostWorld.create();
    await world.fleet.tenants.set("limited", { account: "busy" });
    const name = world.agent(() => apiError(429, { retryAfter: 2 }));
    const ahead = "data:text/javascript,const%20now=Date.now;Date.now=()=>now()+3600000";
    await world.host("ahead", {
      command: ["env", `NODE_OPTIONS=--import=${ahead}`],
      profile: { retry: { cliRetries: 0 } },
    });
    const run = await world.fleet.submit(`${name} Go.`, { tenant: "limited" });
    for await (const event of run.events()) if (event.type === "returned") break;
    const accounts = await world.rows(
      `select reason, paused_until < clock_timestamp() + interval '2 minutes' as is_soon
       from hawser.account where name = 'busy'`,
    );
    expect(accounts).toEqual([{ reason: "rate_limited", is_soon: true }]);
    await run.cancel();
  });
});
