import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { reply } from "hawser/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readSse } from "../../../gateway/test/support/read-sse.js";
import { collect } from "../support/collect.js";
import { WorkerWorld } from "../worker/worker-world.helper.js";

const HAWSER = fileURLToPath(new URL("../../../hawser/dist/bin/main.js", import.meta.url));

let world: WorkerWorld;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  world = await WorkerWorld.create();
  await world.work({ slots: 1, name: "one" });
  folder = mkdtempSync("/tmp/hif-");
});

afterAll(async () => {
  for (const child of children) await kill(child);
  await world?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** `hawser inspect` with the database of the fleet. */
async function inspect(port: string): Promise<{ child: ChildProcess; url: URL }> {
  const args = [HAWSER, "inspect", "--json", "--port", port, "--database", world.databaseUrl];
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      XDG_RUNTIME_DIR: folder,
      XDG_STATE_HOME: folder,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    return { child, url: new URL(JSON.parse(line).url) };
  }
  throw new Error(`The command has ended: ${child.exitCode}`);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

it("hawser inspect --database loses and doubles no event of a run when it is killed and started again", {
  timeout: 300_000,
}, async () => {
  const words = Array.from({ length: 400 }, (_, index) => `word${index}`).join(" ");
  const agent = world.agent(() => reply(words, { chunks: 400, chunkDelayMs: 15 }));
  const run = await world.fleet.submit(agent, { tenant: "alice" });
  let { child, url } = await inspect("0");
  const headers = { authorization: `Bearer ${url.hash.replace("#token=", "")}` };
  const get = (path: string, more: Record<string, string> = {}) =>
    fetch(`${url.origin}${path}`, { headers: { ...headers, ...more } });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
  const json = async (path: string): Promise<any> => (await get(path)).json();

  const { sources } = await json("/sources");
  expect(sources).toMatchObject([
    { kind: "machine", isSelf: true },
    { id: "fleet", kind: "fleet" },
  ]);
  const api = "/sources/fleet/hawser/v1";
  expect(await json(`${api}/fleet`)).toMatchObject({ hosts: [{ name: "one" }] });
  expect((await json(`${api}/runs`)).runs).toMatchObject([{ id: run.id, tenant: "alice" }]);

  const numbers: number[] = [];
  let restarts = 0;
  let isOver = false;
  while (!isOver) {
    const last = numbers.at(-1);
    const after = last === undefined ? {} : { "last-event-id": String(last) };
    const response = await get(`${api}/runs/${run.id}/events`, after as Record<string, string>);
    const start = numbers.length;
    for await (const { data } of readSse(response)) {
      if (data === "") continue;
      const event = JSON.parse(data);
      numbers.push(event.seq);
      isOver = event.type === "ended";
      if (isOver || (restarts < 3 && numbers.length - start >= 2)) break;
    }
    if (isOver) break;
    restarts += 1;
    await kill(child);
    ({ child } = await inspect(url.port));
  }
  // Pieces of text are deleted when the segment ends. All others are kept.
  const kept = (await collect(run.events())).map(({ seq }) => seq);
  expect(kept.length).toBeGreaterThan(3);
  expect(kept.filter((number) => !numbers.includes(number))).toEqual([]);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(restarts).toBeGreaterThan(0);
});
