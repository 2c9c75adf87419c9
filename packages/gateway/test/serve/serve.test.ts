import dns from "node:dns";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { checkConfig } from "../../src/config/check-config.js";
import { Pools } from "../../src/serve/pools.js";
import { type RunningServer, type ServeOptions, serve } from "../../src/serve/serve.js";
import { describeStart } from "../../src/serve/start-report.js";
import { hashKey } from "../../src/tenants/api-key.js";

async function running(config: object, options: ServeOptions = {}): Promise<RunningServer> {
  const cwd = options.cwd ?? mkdtempSync(join(tmpdir(), "hawser-serve-"));
  writeConfig(cwd, config);
  const quiet = { writeLog: () => {}, warn: () => {} };
  const server = await serve({ cwd, port: 0, env: {}, isSimulated: true, ...quiet, ...options });
  onTestFinished(async () => {
    await server.close();
    rmSync(cwd, { recursive: true });
  });
  return server;
}

function writeConfig(cwd: string, config: object): void {
  writeFileSync(join(cwd, "hawser.config.json"), JSON.stringify({ stateDir: "state", ...config }));
}

describe("serve()", () => {
  it("is not ready if no process can be started", async () => {
    const server = await running({}, { options: { cliPath: "/nowhere/claude" } });
    const response = await fetch(`${server.report.url}/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: "not_ready", reason: "no_process" });
  });

  it("says why it is not ready only to an admin with a key", async () => {
    const tenants = {
      admin: { keys: [hashKey("hwk_admin")], admin: true },
      alice: { keys: [hashKey("hwk_alice")] },
    };
    const options = { cliPath: "/nowhere/claude" };
    const server = await running({ tenants }, { options });
    const ready = async (key?: string) => {
      const headers = { ...(key === undefined ? {} : { "x-api-key": key }) };
      return (await fetch(`${server.report.url}/ready`, { headers })).text();
    };
    expect(await ready("hwk_admin")).toContain("/nowhere/claude");
    for (const key of [undefined, "hwk_alice", "hwk_wrong"]) {
      expect(JSON.parse(await ready(key))).toEqual({ status: "not_ready", reason: "no_process" });
    }
  });

  it("says which credential serves which tenant, and never the credential", async () => {
    const key = "a".repeat(64);
    const config = {
      tenants: {
        alice: { apiKeyEnv: "ALICE", keys: [key] },
        bob: { apiKey: "sk-b", keys: [key.replace("a", "b")] },
      },
    };
    const server = await running(config, { isSimulated: false, env: { ALICE: "sk-a" } });
    const text = describeStart(server.report);
    expect(text).toContain("tenant alice: 1 key; credential: an API key");
    expect(text).toContain("tenant bob: 1 key; credential: an API key");
    expect(text + JSON.stringify(server.report)).not.toMatch(/sk-[ab]/);
  });

  it("refuses a port that is in use", async () => {
    const { port } = await running({});
    await expect(running({}, { port })).rejects.toThrow("another program uses the port");
  });

  it("ends at once after drain() if no request runs, and nothing listens any more", async () => {
    const server = await running({});
    await (await fetch(`${server.report.url}/health`)).text();
    await server.drain();
    await expect(fetch(`${server.report.url}/health`)).rejects.toThrow();
    await server.ended;
  });

  it("takes two reloads at once, one after the other", async () => {
    const server = await running({});
    expect(await Promise.all([server.reload(), server.reload()])).toEqual([true, true]);
  });

  it("checks the rules of use at a reload for the address that it listens on", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "hawser-serve-"));
    const listen = { host: "0.0.0.0", port: 0 };
    const tenants = { alice: { apiKey: "sk-a", keys: ["a".repeat(64)] } };
    const warnings: string[] = [];
    const server = await running(
      { listen, tenants },
      { cwd, isSimulated: false, port: undefined, warn: (text) => warnings.push(text) },
    );
    // On loopback, this configuration would need no key and could use the login of the CLI.
    writeConfig(cwd, { listen: { ...listen, host: "127.0.0.1" } });
    expect(await server.reload()).toBe(false);
    expect(warnings.join()).toContain("beyond this machine");
    const { port } = server;
    expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(401);
  });

  it("refuses a name of loopback that resolves to another address", async () => {
    const answer = (...given: readonly unknown[]) =>
      (given.at(-1) as (...facts: unknown[]) => void)(null, "0.0.0.0", 4);
    vi.spyOn(dns, "lookup").mockImplementation(answer as unknown as typeof dns.lookup);
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(running({}, { host: "gateway.localhost" })).rejects.toThrow("not loopback");
  });

  it("refuses every request after the last key was removed by a reload", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "hawser-serve-"));
    const server = await running({ tenants: { alice: { keys: [hashKey("hwk_a")] } } }, { cwd });
    const models = () =>
      fetch(`${server.report.url}/v1/models`, { headers: { "x-api-key": "hwk_a" } });
    expect((await models()).status).toBe(200);
    writeConfig(cwd, {});
    expect(await server.reload()).toBe(true);
    expect((await models()).status).toBe(401);
    expect((await fetch(`${server.report.url}/metrics`)).status).toBe(401);
  });
});

describe("Pools", () => {
  it("has one pool more for each other isolation", async () => {
    const pools = new Pools({ size: { min: 0, max: 1 } });
    onTestFinished(() => pools.close());
    expect(pools.for(undefined)).toBeUndefined();
    expect(pools.for("process")).toBe(pools.for("process"));
    expect(pools.for("process")).not.toBe(pools.main);
    expect(pools.all()).toHaveLength(2);
  });
});

describe("examples/deploy", () => {
  it("has a configuration that is valid", () => {
    const file = new URL("../../../../examples/deploy/hawser.config.json", import.meta.url);
    expect(() => checkConfig(JSON.parse(readFileSync(file, "utf8")), "x")).not.toThrow();
  });
});
