import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CommandWorld } from "./command-world.helper.js";
import { jsonOf } from "./json-of.helper.js";
import { SseReader } from "./sse-reader.helper.js";

let world: CommandWorld;

afterEach(() => world.close());

function configure(config: object): void {
  writeFileSync(join(world.folder, "hawser.config.json"), JSON.stringify(config));
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, "content-type": "application/json" };
}

describe("hawser serve --inspect", { timeout: 300_000 }, () => {
  it("serves the page below /inspect/ with a random token, and ends under an open page", async () => {
    world = new CommandWorld();
    configure({ agents: { helper: { description: "Helps." } } });
    const { child, first } = await world.serve("--port", "0", "--inspect");
    const { origin, pathname, hash } = new URL(first.inspect);
    expect([origin, pathname]).toEqual([first.url, "/inspect/"]);
    const headers = bearer(hash.replace("#token=", ""));
    const led = await fetch(`${origin}/inspect`, {
      headers: { accept: "text/html" },
      redirect: "manual",
    });
    expect([led.status, led.headers.get("location")]).toEqual([307, "./inspect/"]);
    expect((await fetch(`${origin}/inspect/sources`)).status).toBe(401);
    const { sources, canControl } = await jsonOf(fetch(`${origin}/inspect/sources`, { headers }));
    expect([sources[0].kind, sources.length, canControl]).toEqual(["gateway", 1, true]);

    const reader = await SseReader.open(`${origin}/inspect/watch`, headers);
    await reader.until(({ event }) => event?.kind === "snapshot", 0);
    // As the browser sends it: the gateway alone would refuse the origin of a page.
    const opened = await fetch(`${origin}/inspect/sources/self/hawser/v1/sessions`, {
      method: "POST",
      headers: { ...headers, origin },
      body: JSON.stringify({ agent: "helper" }),
    });
    expect(opened.status).toBe(201);
    const { session } = await jsonOf(opened);
    const started = await reader.until(({ event }) => event?.kind === "session.start", 0);
    expect(started.event.session).toBe(session.id);
    await fetch(`${origin}/v1/models`);
    await reader.until(({ event }) => event?.kind === "request.end", 0);

    const exited = once(child, "exit");
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
  });

  it("takes keys of tenants as tokens, each with its own rights", async () => {
    world = new CommandWorld();
    const tenants = { boss: { admin: true }, guest: {}, viewer: { admin: true, readOnly: true } };
    configure({ agents: { helper: { description: "Helps." } }, tenants });
    const keys: Record<string, string> = {};
    for (const name of Object.keys(tenants)) {
      keys[name] = (await world.run("serve", "keys", "add", name)).trim();
    }
    const { first } = await world.serve("--port", "0", "--inspect");
    expect(first.inspect).toBe(`${first.url}/inspect/`);
    const base = `${first.url}/inspect`;
    const rights = async (key: string) => {
      const response = await fetch(`${base}/sources`, { headers: bearer(key) });
      return response.status === 200 ? (await jsonOf(response)).canControl : response.status;
    };
    expect(await rights(keys["boss"] ?? "")).toBe(true);
    expect(await rights(keys["viewer"] ?? "")).toBe(false);
    expect(await rights("hsk_wrong")).toBe(401);
    // The server knows only hashes of the keys, and proves with them that it knows a key.
    const nonce = "n".repeat(32);
    const hash = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest();
    const hello = (key: string) => {
      const name = hash(hash(key)).toString("hex").slice(0, 8);
      return fetch(`${base}/hello?nonce=${nonce}&key=${name}`);
    };
    for (const key of Object.values(keys)) {
      const proof = createHmac("sha256", hash(key)).update(`hawser-hello:${nonce}`).digest("hex");
      expect(await jsonOf(hello(key))).toEqual({ proof });
    }
    expect((await hello("hwk_wrong")).status).toBe(401);
    const api = `${base}/sources/self/hawser/v1`;
    const opened = await fetch(`${api}/sessions`, {
      method: "POST",
      headers: bearer(keys["boss"] ?? ""),
      body: JSON.stringify({ agent: "helper" }),
    });
    expect(opened.status).toBe(201);
    const seenBy = async (name: string) =>
      (await jsonOf(fetch(`${api}/sessions`, { headers: bearer(keys[name] ?? "") }))).sessions;
    expect([await seenBy("boss"), await seenBy("guest")]).toMatchObject([[{ tenant: "boss" }], []]);
    const refused = await fetch(`${api}/sessions`, {
      method: "POST",
      headers: bearer(keys["viewer"] ?? ""),
      body: JSON.stringify({ agent: "helper" }),
    });
    expect(refused.status).toBe(403);
  });
});
