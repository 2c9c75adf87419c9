import { once } from "node:events";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { hang, type ReplyInput, reply } from "../../src/testing/index.js";
import { type Seen, stillAlive, until } from "../support/proc.js";
import { type Place, placeOf, type Running } from "./program.helper.js";

const ONE = "11111111-1111-4111-8111-111111111111";
const TWO = "22222222-2222-4222-8222-222222222222";

it("examples/chat-server.js keeps conversations apart, and resumes one after its idle process was ended", async () => {
  const { server, url, place } = await serving({ IDLE_MS: "200" });
  const [one, two] = await Promise.all([say(url, ONE, "I am Ann."), say(url, TWO, "I am Bob.")]);
  expect(new Set(place.seen.filter(isCli).map(({ pid }) => pid)).size).toBe(2);
  expect([one, two]).toEqual(["You said: I am Ann.", "You said: I am Bob."]);
  await until(() => stillAlive(place.seen.filter(isCli)).length === 0);

  expect(await say(url, ONE, "Who am I?")).toBe("You said: Who am I?");
  expect(place.seen.map(({ command }) => command)).toContainEqual(
    expect.stringMatching(`--resume[ =]${ONE}`),
  );
  const resumed = JSON.stringify(place.model.calls.at(-1)?.body);
  expect(resumed).toContain("You said: I am Ann.");
  expect(resumed).not.toContain("Bob");
  expect((await fetch(`${url}/chats/../../etc`, { method: "POST" })).status).toBe(404);
  expect(await end(server)).toBe(0);
});

it("examples/chat-server.js stops an answer whose client has left, and finishes running answers after SIGTERM", async () => {
  const { server, url, place } = await serving();
  const leaves = new AbortController();
  const left = fetch(`${url}/chats/${ONE}`, {
    method: "POST",
    body: "Never finish.",
    signal: leaves.signal,
  });
  await (await left).body?.getReader().read();
  leaves.abort();
  // The process takes the next prompt only after the turn before was stopped.
  expect(await say(url, ONE, "Are you there?")).toBe("You said: Are you there?");

  const slow = say(url, ONE, "Say it slowly.");
  await until(() => place.model.calls.at(-1)?.prompt.includes("slowly"));
  const ended = end(server);
  expect(await slow).toBe("You said: Say it slowly.");
  expect(await ended).toBe(0);
});

it("examples/chat-server.js sends a failure with its code, and shows it on the page", async () => {
  const { server, url } = await serving({ HAWSER_CLI: "/nowhere/claude" });
  const response = await fetch(`${url}/chats/${ONE}`, { method: "POST", body: "Hello." });
  expect(await response.text()).toMatch(/^event: failed\ndata: \{"code":"cli_not_found",/);
  expect(await onPage(url, "Hello.")).toMatch(/^> Hello\.\n\(.*\/nowhere\/claude.*\)\n\n$/s);
  expect(await end(server)).toBe(0);
});

function isCli({ command }: Seen): boolean {
  return command.includes("stream-json");
}

async function serving(env: Readonly<Record<string, string>> = {}) {
  const place: Place = await placeOf("chat-server.js", ({ prompt }): ReplyInput => {
    if (prompt.includes("Never finish")) return hang("Once upon a time");
    const slowly = prompt.includes("slowly") ? 300 : 0;
    // The CLI may put a note about the interrupt before the prompt.
    const said = prompt.trim().split("\n").at(-1);
    return reply(`You said: ${said}`, { chunks: 4, chunkDelayMs: slowly });
  });
  const server = place.start([], { PORT: "0", ...env });
  const [line] = (await once(server.child.stdout, "data")) as [Buffer];
  return { place, server, url: String(line).trim() };
}

/** Sends a prompt by the script of the page. */
async function say(url: string, chat: string, prompt: string): Promise<string> {
  const shown = await onPage(url, prompt, chat);
  return shown.slice(`> ${prompt}\n`.length).trimEnd();
}

/** The text of the page after its form was sent. The script runs with a minimal browser environment. */
async function onPage(url: string, prompt: string, chat?: string): Promise<string> {
  const page = await (await fetch(url)).text();
  const [, script = ""] = /<script type="module">(.*)<\/script>/s.exec(page) ?? [];
  const shown: string[] = [];
  const main = { append: (text: string) => shown.push(text) };
  const form: { onsubmit?: (event: object) => Promise<void> } = {};
  const elements: Record<string, object> = { main, form, input: { value: prompt } };
  runInNewContext(script, {
    crypto,
    TextDecoderStream,
    localStorage: { chat },
    document: { querySelector: (name: string) => elements[name] },
    fetch: (path: string, init: RequestInit) => fetch(new URL(path, url), init),
  });
  await form.onsubmit?.({ preventDefault() {} });
  return shown.join("");
}

async function end({ child, ended }: Running): Promise<number | null> {
  child.kill("SIGTERM");
  return (await ended).code;
}
