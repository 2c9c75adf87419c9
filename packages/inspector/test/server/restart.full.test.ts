import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { SocketSource } from "../../src/announce/socket-source.js";
import { readSse } from "../../src/http/read-sse.js";
import { keptSecret } from "../../src/machine/token-file.js";
import { CommandWorld, kill, type Started } from "./command-world.helper.js";
import { jsonOf } from "./json-of.helper.js";
import { SseReader } from "./sse-reader.helper.js";

let world: CommandWorld;

afterEach(() => world.close());

function partsOf({ first }: Started): { base: string; port: string; token: string } {
  const { origin, hash, port } = new URL(first.url);
  return { base: origin, port, token: hash.replace("#token=", "") };
}

/** The ids of all events that the program sends on its socket, until the turn has ended. */
async function idsFromSource(folder: string): Promise<{ readonly ids: Promise<string[]> }> {
  const sockets = readdirSync(join(folder, "hawser")).filter((name) => name.endsWith(".sock"));
  const info = { id: "x", name: "x", kind: "process", isSelf: false } as const;
  const source = new SocketSource(info, join(folder, "hawser", sockets[0] ?? ""));
  const request = new Request("http://localhost/hawser/v1/events");
  const { body } = await source.fetch(request, "read");
  const read = async () => {
    const ids: string[] = [];
    for await (const { id, data } of readSse(body as ReadableStream<Uint8Array>)) {
      if (id === undefined || data === undefined) continue;
      const { kind } = JSON.parse(data);
      if (kind !== "snapshot") ids.push(id);
      if (kind === "turn.end") break;
    }
    return ids;
  };
  return { ids: read() };
}

describe("hawser inspect", { timeout: 300_000 }, () => {
  it("loses and doubles no event of a program when it is killed and started again under an open page", async () => {
    world = new CommandWorld();
    const program = await world.program();
    let server = await world.inspect("--port", "0");
    const { base, port, token } = partsOf(server);
    const headers = { authorization: `Bearer ${token}` };
    const expected = await idsFromSource(world.folder);

    const ids: string[] = [];
    let source = "";
    let restarts = 0;
    let isOver = false;
    program.child.stdin?.write("Count.\n");
    while (!isOver) {
      const after = ids.length === 0 ? "" : `?after=${source}~${ids.at(-1)}`;
      const reader = await SseReader.open(`${base}/watch${after}`, headers);
      const start = ids.length;
      for (;;) {
        const message = await reader.until(({ type }) => type === "event");
        const { event } = message;
        source = message.source === "machine" ? source : message.source;
        if (message.source === "machine") continue;
        // A reset would say that events were lost.
        expect(event.kind).not.toBe("reset");
        if (event.kind === "snapshot") {
          expect(ids).toEqual([]);
          continue;
        }
        ids.push(event.id);
        isOver = event.kind === "turn.end";
        if (isOver || (restarts < 3 && ids.length - start > 25)) break;
      }
      if (isOver) reader.leave();
      else {
        restarts += 1;
        await kill(server);
        server = await world.inspect("--port", port);
        expect(partsOf(server)).toEqual({ base, port, token });
      }
    }
    expect(restarts).toBe(3);
    // The page has connected before or after the first events, which are then in its snapshot.
    const all = await expected.ids;
    expect(ids).toEqual(all.slice(all.indexOf(ids[0] ?? "")));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("keeps its secret in a file that only the user can read, and takes another one if others could", async () => {
    world = new CommandWorld();
    const first = await world.inspect("--port", "0");
    const file = join(world.folder, "state/hawser/inspect-token");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { token, port } = partsOf(first);
    await kill(first);
    // The token that a page has is not in the file, and that of another port is another one.
    expect(readFileSync(file, "utf8")).not.toContain(token);
    const other = await world.inspect("--port", "0");
    expect(partsOf(other).token).not.toBe(token);
    chmodSync(file, 0o644);
    const second = await world.inspect("--port", port);
    expect(partsOf(second)).toMatchObject({ port, token: expect.not.stringContaining(token) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("makes a new token with --new-token, and refuses the old one", async () => {
    world = new CommandWorld();
    const first = await world.inspect("--port", "0");
    const { base, token, port } = partsOf(first);
    const statusWith = async (given: string) => {
      const headers = { authorization: `Bearer ${given}` };
      return (await fetch(`${base}/sources`, { headers })).status;
    };
    expect(await statusWith(token)).toBe(200);
    await kill(first);
    const second = await world.inspect("--port", port, "--new-token");
    const { token: next } = partsOf(second);
    expect(next).not.toBe(token);
    expect([await statusWith(token), await statusWith(next)]).toEqual([401, 200]);
    await kill(second);
    expect(partsOf(await world.inspect("--port", port)).token).toBe(next);
  });

  it("makes one secret of all commands that begin at the same time", async () => {
    world = new CommandWorld();
    const file = join(world.folder, "state/hawser/inspect-token");
    const secrets = await Promise.all(Array.from({ length: 20 }, () => keptSecret(file)));
    expect(new Set(secrets).size).toBe(1);
    expect(readdirSync(join(file, ".."))).toEqual(["inspect-token"]);
  });

  it("refuses a folder for its secret that others can change", async () => {
    world = new CommandWorld();
    const folder = join(world.folder, "state");
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const failed = keptSecret(join(folder, "inspect-token"));
    await expect(failed).rejects.toMatchObject({ code: "not_supported" });
  });

  it("shows programs as they begin and end, and their sessions can be controlled", async () => {
    world = new CommandWorld();
    const server = await world.inspect("--port", "0");
    const { base, token } = partsOf(server);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const reader = await SseReader.open(`${base}/sources/events`, headers);
    await reader.until(({ sources }) => sources.length === 1 && sources[0].kind === "machine", 0);
    const program = await world.program();
    const { sources } = await reader.until(({ sources: all }) => all.length === 2, 0);
    expect(sources[1]).toMatchObject({ name: "inspected", kind: "process", isSelf: false });
    const api = `${base}/sources/${sources[1].id}/hawser/v1`;
    const { sessions } = await jsonOf(fetch(`${api}/sessions`, { headers }));
    expect(sessions).toMatchObject([{ sessionId: program.first.ready, isControllable: true }]);
    const id = sessions[0].id;
    const post = (path: string, body: unknown) =>
      fetch(`${api}/sessions/${id}${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
    expect((await post("/turns", { prompt: "Go." })).status).toBe(202);
    expect(await jsonOf(post("/interrupt", {}))).toEqual({ result: "interrupted" });
    // A page that leaves ends its streams in the program, which allows a hundred at a time.
    for (let count = 0; count < 110; count += 1) {
      const stream = await vi.waitFor(() => SseReader.open(`${api}/events`, headers), 60_000);
      stream.leave();
    }
    await kill(program);
    await reader.until(({ sources: all }) => all.length === 1);
    reader.leave();
  });

  it("prints an address that may only look with --read-only", async () => {
    world = new CommandWorld();
    const { base, token } = partsOf(await world.inspect("--port", "0", "--read-only"));
    const headers = { authorization: `Bearer ${token}` };
    const { canControl } = await jsonOf(fetch(`${base}/sources`, { headers }));
    expect(canControl).toBe(false);
  });

  it("ends with Ctrl-C", async () => {
    world = new CommandWorld();
    const { child } = await world.inspect("--port", "0");
    const exited = new Promise((resolve) =>
      child.once("exit", (code, signal) => resolve([code, signal])),
    );
    child.kill("SIGINT");
    expect(await exited).toEqual([0, null]);
  });
});
