// A chat in the browser: one session per conversation, answers as server-sent events.
//
//   node chat-server.js     then open http://localhost:8080
//
// An idle session is closed, and resumed at the next message, even after a restart of the server.
// If the browser disconnects, the answer is interrupted. On SIGTERM, running answers are finished
// first.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { getSessionInfo, isHawserError, openSession } from "hawser";

const RESTS_AFTER_MS = Number(process.env.IDLE_MS ?? 300_000);
const OPTIONS = {
  systemPrompt: "You know all about knots. Be brief.",
  tools: [],
  settingSources: [],
  strictMcpConfig: true,
  recover: true,
};

class Chat {
  /** @type {Promise<import("hawser").Session> | undefined} */
  #session;
  #closed = Promise.resolve();
  #answering = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #rest;

  /** @param {string} id The conversation's id, which is also the CLI's session id. */
  constructor(id) {
    this.id = id;
  }

  /** @param {string} prompt @param {AbortSignal} signal */
  async *answer(prompt, signal) {
    clearTimeout(this.#rest);
    this.#answering += 1;
    try {
      this.#session ??= this.#open();
      yield* (await this.#session).send(prompt, { signal }).textStream;
    } finally {
      this.#answering -= 1;
      if (this.#answering === 0) this.#rest = setTimeout(() => this.close(), RESTS_AFTER_MS);
    }
  }

  close() {
    clearTimeout(this.#rest);
    const session = this.#session;
    this.#session = undefined;
    if (session) this.#closed = session.then((open) => open.close()).catch(console.error);
    return this.#closed;
  }

  async #open() {
    try {
      await this.#closed; // Two processes must not write the same transcript.
      const known = await getSessionInfo(this.id, { dir: process.cwd() });
      const which = known ? { resume: this.id } : { sessionId: this.id };
      return await openSession({ ...OPTIONS, ...which });
    } catch (error) {
      this.#session = undefined; // The next message tries again.
      throw error;
    }
  }
}

/** @type {Map<string, Chat>} */
const chats = new Map();

const server = createServer(async (request, response) => {
  const [, id] = /^\/chats\/([0-9a-f-]{36})$/.exec(request.url ?? "") ?? [];
  if (request.method === "GET" && request.url === "/") {
    return response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
  }
  if (request.method !== "POST" || !id) return response.writeHead(404).end();
  const left = new AbortController();
  response.once("close", () => left.abort());
  /** @param {string} event @param {unknown} data */
  const tell = (event, data) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream", connection: "close" });
  try {
    const chat = chats.get(id) ?? new Chat(id);
    chats.set(id, chat);
    for await (const piece of chat.answer(await text(request), left.signal)) tell("piece", piece);
    tell("end", {});
  } catch (error) {
    const code = isHawserError(error) ? error.code : "internal";
    if (code !== "aborted") console.error(error);
    tell("failed", { code, message: error instanceof Error ? error.message : String(error) });
  }
  response.end();
});

server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${port}`);
});

process.once("SIGTERM", () => {
  server.close(() => Promise.all([...chats.values()].map((chat) => chat.close())));
});

const PAGE = `<!doctype html><meta charset="utf-8"><title>Knots</title>
<style>body { font: 16px/1.5 sans-serif; max-width: 40em; margin: 2em auto; white-space: pre-wrap }</style>
<main></main><form><input autofocus size="60" placeholder="Ask about a knot"></form>
<script type="module">
const id = (localStorage.chat ??= crypto.randomUUID());
const [main, form, input] = ["main", "form", "input"].map((name) => document.querySelector(name));
const say = (text) => main.append(text);
form.onsubmit = async (event) => {
  event.preventDefault();
  const body = input.value;
  say("> " + body + "\\n");
  input.value = "";
  const response = await fetch("/chats/" + id, { method: "POST", body });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", next; !(next = await reader.read()).done; ) {
    const events = (rest + next.value).split("\\n\\n");
    rest = events.pop();
    for (const [, name, data] of events.map((each) => /^event: (.*)\\ndata: (.*)$/.exec(each))) {
      if (name === "piece") say(JSON.parse(data));
      if (name === "failed") say("(" + JSON.parse(data).message + ")");
    }
  }
  say("\\n\\n");
};
</script>`;
