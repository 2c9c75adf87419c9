import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

/** Each message starts a CLI. */
const LIMIT_MS = 180_000;

let database: TestDatabase;
let cwd: string;
beforeAll(async () => {
  database = await createDatabase();
  cwd = mkdtempSync(join(tmpdir(), "hawser-fleet-example-"));
});
afterAll(async () => {
  await database.dispose();
  rmSync(cwd, { recursive: true, force: true });
});

it(
  "examples/fleet-terminal-chat.js answers in order, and goes on with the conversation after a restart",
  async () => {
    const first = start("fleet-terminal-chat.js");
    first.stdin.end("My ship is the Ada.\nIs it red?\n");
    const shown = await text(first.stdout);
    expect(shown).toMatch(/You said: My ship is the Ada\..*You said: Is it red\?/s);
    expect(await exitOf(first)).toBe(0);

    const second = start("fleet-terminal-chat.js");
    second.stdin.write("/search ship\n/cost\n/close\n/nothing is a command that is sent\n");
    second.stdin.end("/history\n");
    const again = await text(second.stdout);
    expect(again).toMatch(/ user: My ship is the Ada\./);
    expect(again).toMatch(/\(2 answers today, 0\.\d{4} USD\)/);
    expect(again).toMatch(/\(closed: You said: The conversation is about to be closed\./);
    expect(again).toMatch(/ summary: You said: The conversation is about to be closed\./);
    expect(await exitOf(second)).toBe(0);
  },
  LIMIT_MS,
);

it(
  "examples/fleet-http-chat.js streams the progress, counts a message once, and gives a cut client the rest",
  async () => {
    const { server, url } = await serve();
    const headers = { "idempotency-key": "message 1" };
    const send = () =>
      fetch(`${url}/users/http-ada/messages`, {
        method: "POST",
        headers,
        body: "Which knot holds?",
      });
    const [one, two] = await Promise.all([send(), send()]);
    expect(one.headers.get("hawser-run")).toBe(two.headers.get("hawser-run"));
    const events = eventsIn(await one.text());
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["queued", "started", "message", "ended", "answer"]),
    );
    expect(events.at(-1)).toMatchObject({ data: { text: "You said: Which knot holds?" } });
    await two.text();

    const started = events.find(({ type }) => type === "started");
    const rest = await fetch(`${url}/runs/${one.headers.get("hawser-run")}/events`, {
      headers: { "last-event-id": String(started?.id) },
    });
    const later = eventsIn(await rest.text());
    expect(later.map(({ id }) => id)).toEqual(
      events.slice(events.findIndex(({ type }) => type === "started") + 1).map(({ id }) => id),
    );

    expect(await json(`${url}/users/http-ada/messages`)).toMatchObject([
      { role: "user", text: "Which knot holds?", id: "message 1" },
      { role: "assistant", text: "You said: Which knot holds?" },
    ]);
    expect(await json(`${url}/users/http-ada/messages?search=KNOT`)).toHaveLength(2);
    expect(await json(`${url}/users/bob/messages?search=knot`)).toEqual([]);
    expect(await json(`${url}/users/http-ada/usage`)).toMatchObject({
      tenant: "http-ada",
      runs: 1,
    });
    const refused = await fetch(`${url}/users/http-ada/messages`, {
      method: "POST",
      headers,
      body: "No.",
    });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: "invalid_options" });
    expect((await fetch(`${url}/runs/nothing/events`)).status).toBe(400);
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);

    server.kill("SIGTERM");
    expect(await exitOf(server)).toBe(0);
  },
  LIMIT_MS,
);

/** Runs an example with the simulated model and the real CLI. */
function start(name: string): ChildProcessWithoutNullStreams {
  const file = fileURLToPath(new URL(`../../../../examples/${name}`, import.meta.url));
  const { PATH = "", LANG = "" } = process.env;
  const child = spawn(process.execPath, [file, "--offline"], {
    cwd,
    env: {
      PATH,
      LANG,
      HOME: cwd,
      TMPDIR: cwd,
      PORT: "0",
      CHAT_USER: "ada",
      DATABASE_URL: database.url,
      HAWSER_CLI: nativeCli("@anthropic-ai/claude-code"),
    },
  });
  child.stderr.pipe(process.stderr);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function serve() {
  const server = start("fleet-http-chat.js");
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  return { server, url: String(line).trim() };
}

async function exitOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}

async function json(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

function eventsIn(stream: string): { id?: string; type: string; data: unknown }[] {
  return stream
    .split("\n\n")
    .filter((each) => each !== "")
    .map((each) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(each)?.[1];
      const id = field("id");
      return {
        ...(id === undefined ? {} : { id }),
        type: field("event") ?? "",
        data: JSON.parse(field("data") ?? "null"),
      };
    });
}
