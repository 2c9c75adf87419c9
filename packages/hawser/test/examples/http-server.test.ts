import { execFile, spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import type { PoolStats } from "../../src/pool/index.js";
import { hang, type RecordedRequest, type Reply, reply } from "../../src/testing/index.js";
import { FULL, NEWEST_CLI } from "../support/cli.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { world } from "../support/world.js";

/** Of 12 clients, two leave before their answer has ended. */
const REQUESTS = FULL ? 60 : 12;
const AT_ONCE = FULL ? 8 : 2;
const LEAVING = REQUESTS / 6;
/** The size.max of the example. */
const PROCESSES = 4;

interface Told {
  readonly number: number;
  readonly leaves?: "at once" | "at the first piece";
  readonly seen?: string;
  readonly status?: number;
  readonly text?: string;
}

it("examples/http-server.js answers many clients by a few processes, and aborts calls whose client has left", async () => {
  const cut = answersCut();
  const { model, url, stats } = await serving();

  const told = await crowd(url);
  const stayed = told.filter(({ leaves }) => leaves === undefined);
  expect(stayed).toHaveLength(REQUESTS - LEAVING);
  for (const { number, status, text } of stayed) {
    expect({ number, status, text }).toEqual({ number, status: 200, text: word(number) });
  }

  // An endless answer ends only when the CLI closes its connection to the model.
  await until(async () => (await stats()).calls.running === 0);
  const endless = model.calls.filter(({ prompt }) => prompt.includes("Never finish"));
  await until(() => cut.count >= endless.length);
  const seen = told.filter(({ leaves }) => leaves === "at the first piece");
  expect(seen.map((each) => each.seen)).toEqual(seen.map(() => "Once upon a time"));
  expect(endless.length).toBeGreaterThanOrEqual(seen.length);

  const { calls, processes } = await stats();
  expect(calls).toMatchObject({ queued: 0, succeeded: stayed.length });
  // At worst the pool has discarded one process for each client that left.
  expect(processes.started).toBeLessThanOrEqual(PROCESSES + told.length - stayed.length);
  expect(calls.by.recycled).toBeGreaterThanOrEqual(REQUESTS / 2 - PROCESSES);
}, 120_000);

it("examples/http-server.js ends running answers after SIGTERM, and leaves no process", async () => {
  const { server, url } = await serving();
  const response = await fetch(url, { method: "POST", body: "Say slowly word-1." });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await reader?.read())?.value ?? "";
  expect(word(1)).not.toBe(text);
  const tree = treeOf(server.pid ?? 0);
  expect(tree.length).toBeGreaterThan(1);

  server.kill("SIGTERM");
  const closed = once(server, "close");
  await until(() =>
    fetch(url)
      .then(() => false)
      .catch(() => true),
  );
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
    text += piece.value;
  }
  expect(text).toBe(word(1));
  expect(await closed).toEqual([0, null]);
  // The watchdog ends after the server.
  await until(() => stillAlive(tree).length === 0);
});

function word(number: number): string {
  return `It is word-${number}.`;
}

function answer({ prompt }: RecordedRequest): Reply {
  if (prompt.includes("Never finish")) return hang("Once upon a time");
  const text = word(Number(/word-(\d+)/.exec(prompt)?.[1]));
  return reply(text, { chunks: 5, chunkDelayMs: prompt.includes("slowly") ? 400 : 0 });
}

/** Runs the example in a world of its own. */
async function serving() {
  const { env, cwd, model } = await world(NEWEST_CLI, answer);
  const example = fileURLToPath(new URL("../../../../examples/http-server.js", import.meta.url));
  const server = spawn(process.execPath, [example], {
    env: { ...env, HAWSER_CLI: NEWEST_CLI, PORT: "0" },
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [line] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
  const url = line.trim();
  const stats = async (): Promise<PoolStats> => (await fetch(url)).json() as Promise<PoolStats>;
  return { model, server, url, stats };
}

async function crowd(url: string): Promise<Told[]> {
  const load = fileURLToPath(new URL("load.js", import.meta.url));
  const args = [load, url, String(REQUESTS), String(AT_ONCE)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

/** Counts the answers of the model whose connection the CLI closed early. */
function answersCut(): { readonly count: number } {
  const seen = { count: 0 };
  const onRequest = (event: unknown) => {
    const { response } = event as { readonly response: ServerResponse };
    response.once("close", () => {
      if (!response.writableFinished) seen.count += 1;
    });
  };
  subscribe("http.server.request.start", onRequest);
  onTestFinished(() => void unsubscribe("http.server.request.start", onRequest));
  return seen;
}
