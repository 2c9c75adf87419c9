import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import { PageFiles } from "../../src/files/page-files.js";
import { readSse } from "../../src/http/read-sse.js";
import { Tokens } from "../../src/http/tokens.js";
import { InspectorApp } from "../../src/inspector-app.js";
import { type Source, type Sources, singleSource } from "../../src/sources/source.js";
import { pageFolder } from "./page-folder.helper.js";

setFlagsFromString("--expose_gc");
const collectGarbage = runInNewContext("gc") as () => void;

const files = new PageFiles(pageFolder());

function sse(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/** A stream that says nothing, and ends when the reader leaves. */
function silence({ signal }: Request): Response {
  return new Response(
    new ReadableStream({
      start: (controller) => signal.addEventListener("abort", () => controller.close()),
    }),
  );
}

function sourceNamed(id: string, answer: (request: Request, path: string) => Response): Source {
  return {
    info: { id, name: id, kind: "process", isSelf: true },
    fetch: async (request) => answer(request, new URL(request.url).pathname),
  };
}

async function watch(sources: Sources, query = "", heartbeatMs?: number) {
  const tokens = new Tokens();
  const app = new InspectorApp({ files, authenticator: tokens, sources, hosts: [], heartbeatMs });
  const leave = new AbortController();
  const response = await app.fetch(
    new Request(`http://localhost/watch${query}`, {
      headers: { authorization: `Bearer ${tokens.control}` },
      signal: leave.signal,
    }),
  );
  return { body: response.body as ReadableStream<Uint8Array>, leave: () => leave.abort() };
}

/** The data of so many messages. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field.
async function take(body: ReadableStream<Uint8Array>, count: number): Promise<any[]> {
  const taken = [];
  for await (const { data } of readSse(body)) {
    if (data !== undefined) taken.push(JSON.parse(data));
    if (taken.length === count) break;
  }
  return taken;
}

describe("GET /watch", () => {
  it.each(["a%0Ab", "%E2%82%AC", "x".repeat(300)])(
    "passes over an event id that cannot be one: %s",
    async (id) => {
      const asked: (string | null)[] = [];
      const source = sourceNamed("a", (request, path) => {
        if (path.endsWith("/approvals/events")) return silence(request);
        asked.push(request.headers.get("last-event-id"));
        return sse('id: r-1\ndata: {"id":"r-1","kind":"turn.text"}\n\n');
      });
      const { body } = await watch(singleSource(source), `?after=a~${id}`);
      const [, event] = await take(body, 2);
      expect(event).toMatchObject({ type: "event", event: { id: "r-1" } });
      expect(asked[0]).toBeNull();
    },
  );

  it("opens a source again that breaks, after the last event, and tells the page", async () => {
    const asked: (string | null)[] = [];
    const source = sourceNamed("a", (request, path) => {
      if (path.endsWith("/approvals/events")) return silence(request);
      asked.push(request.headers.get("last-event-id"));
      const number = asked.length;
      return sse(`id: r-${number}\ndata: {"id":"r-${number}","kind":"turn.text"}\n\n`);
    });
    const { body } = await watch(singleSource(source), "?after=a~r-0&after=b~r-7");
    const messages = await take(body, 6);
    expect(messages.map(({ type }) => type)).toEqual([
      "sources",
      "event",
      "connection",
      "connection",
      "event",
      "connection",
    ]);
    expect(messages[1]).toEqual({
      type: "event",
      source: "a",
      event: { id: "r-1", kind: "turn.text" },
    });
    expect(messages[2]).toMatchObject({
      source: "a",
      isConnected: false,
      message: expect.any(String),
    });
    expect(messages[3]).toMatchObject({ isConnected: true });
    expect(asked.slice(0, 2)).toEqual(["r-0", "r-1"]);
  });

  it("hands on questions and signs of life as they are", async () => {
    const source = sourceNamed("a", (_request, path) =>
      path.endsWith("/approvals/events")
        ? sse('data: {"type":"begin"}\n\ndata: {"type":"asked","approval":{"id":"q"}}\n\n')
        : sse(": keep-alive\nid: r-9\n\n"),
    );
    const { body } = await watch(singleSource(source));
    const messages = await take(body, 4);
    expect(messages).toContainEqual({ type: "mark", source: "a", id: "r-9" });
    expect(messages).toContainEqual({ type: "approval", source: "a", change: { type: "begin" } });
    const asked = { type: "asked", approval: { id: "q" } };
    expect(messages).toContainEqual({ type: "approval", source: "a", change: asked });
  });

  it("begins to read a source that appears, and stops to read one that is gone", async () => {
    let list: Source[] = [];
    let tell = () => {};
    const left: string[] = [];
    const source = (id: string) =>
      sourceNamed(id, (request, path) => {
        request.signal.addEventListener("abort", () => left.push(`${id}${path}`));
        return silence(request);
      });
    const sources: Sources = {
      list: () => list,
      listen: (onChange) => {
        tell = onChange;
        return () => {};
      },
    };
    const { body } = await watch(sources);
    list = [source("a")];
    tell();
    list = [source("b")];
    tell();
    const messages = await take(body, 3);
    expect(messages.map((each) => each.sources.map(({ id }: { id: string }) => id))).toEqual([
      [],
      ["a"],
      ["b"],
    ]);
    expect(left.filter((each) => each.startsWith("a/"))).toHaveLength(2);
    // The reader has left, so that the other source is not read any more either.
    expect(left.filter((each) => each.startsWith("b/"))).toHaveLength(2);
  });

  it("continues after the last event with a source that was gone and comes back", async () => {
    const asked: (string | null)[] = [];
    const source = sourceNamed("a", (request, path) => {
      if (path.endsWith("/approvals/events")) return silence(request);
      asked.push(request.headers.get("last-event-id"));
      const number = 10 * asked.length;
      const body = new ReadableStream({
        start(controller) {
          const event = `id: r-${number}\ndata: {"id":"r-${number}","kind":"turn.text"}\n\n`;
          controller.enqueue(new TextEncoder().encode(event));
          request.signal.addEventListener("abort", () => controller.close());
        },
      });
      return new Response(body);
    });
    let list: Source[] = [source];
    let tell = () => {};
    const sources: Sources = {
      list: () => list,
      listen: (onChange) => {
        tell = onChange;
        return () => {};
      },
    };
    const { body, leave } = await watch(sources, "?after=a~r-3");
    const messages = readSse(body);
    const nextEvent = async (): Promise<string> => {
      for (;;) {
        const { value } = await messages.next();
        const message = JSON.parse(value?.data ?? "{}");
        if (message.type === "event") return message.event.id;
      }
    };
    expect(await nextEvent()).toBe("r-10");
    list = [];
    tell();
    list = [source];
    tell();
    expect(await nextEvent()).toBe("r-20");
    expect(asked).toEqual(["r-3", "r-10"]);
    leave();
  });

  it("tells of a new source before its events, also to a page that was not reading", async () => {
    const many = (id: string) =>
      sourceNamed(id, (request, path) => {
        if (path.endsWith("/approvals/events")) return silence(request);
        const event = `data: {"kind":"turn.text","text":"${"x".repeat(1000)}"}\n\n`;
        return new Response(
          new ReadableStream(
            { pull: (controller) => controller.enqueue(new TextEncoder().encode(event)) },
            { highWaterMark: 0 },
          ),
        );
      });
    let list = [many("a")];
    let tell = () => {};
    const sources: Sources = {
      list: () => list,
      listen: (onChange) => {
        tell = onChange;
        return () => {};
      },
    };
    const { body, leave } = await watch(sources);
    // Far more than the stream holds, while nothing is read.
    for (let n = 0; n < 2000; n += 1) {
      list = [...list.slice(0, 20), many(`b${n}`)];
      tell();
      if (n % 100 === 0) await sleep(1);
    }
    const known = new Set<string>();
    let told = 0;
    for await (const { data } of readSse(body)) {
      const message = JSON.parse(data ?? "{}");
      if (message.type === "sources") {
        told += 1;
        for (const { id } of message.sources) known.add(id);
      } else expect([...known]).toContain(message.source);
      if (message.source === "b1999") break;
    }
    expect(told).toBeLessThan(1000);
    leave();
  });

  it("leaves a page that does not read at all", async () => {
    const left: string[] = [];
    const requests: Request[] = [];
    const source = sourceNamed("a", (request, path) => {
      requests.push(request);
      request.signal.addEventListener("abort", () => left.push(path));
      if (path.endsWith("/approvals/events")) return silence(request);
      const event = `data: {"kind":"turn.text","text":"${"x".repeat(10_000)}"}\n\n`;
      return new Response(
        new ReadableStream(
          { pull: (controller) => controller.enqueue(new TextEncoder().encode(event)) },
          { highWaterMark: 0 },
        ),
      );
    });
    await watch(singleSource(source), "", 10);
    await expect.poll(() => left.length).toBe(2);
  });

  it("tells a source that a page has left, also if the source holds only the signals of its requests", async () => {
    let left = 0;
    const signals: AbortSignal[] = [];
    const source = sourceNamed("a", ({ signal }) => {
      signals.push(signal);
      signal.addEventListener("abort", () => {
        left += 1;
      });
      return new Response(new ReadableStream());
    });
    const { leave } = await watch(singleSource(source));
    await expect.poll(() => signals.length).toBe(2);
    await sleep(0);
    collectGarbage();
    leave();
    await expect.poll(() => left).toBe(2);
  });

  it.each(["/watch", "/sources/events", "/sources/a/hawser/v1/events"])(
    "is refused with a 429 that says what to do, if a token has too many streams: %s",
    async (path) => {
      const tokens = new Tokens();
      const sources = singleSource(sourceNamed("a", (request) => silence(request)));
      const app = new InspectorApp({ files, authenticator: tokens, sources, hosts: [] });
      const open = async (token: string) => {
        const leave = new AbortController();
        const headers = { authorization: `Bearer ${token}` };
        const request = new Request(`http://localhost${path}`, { headers, signal: leave.signal });
        return { response: await app.fetch(request), leave: () => leave.abort() };
      };
      const warnings: Error[] = [];
      const warn = (warning: Error) => void warnings.push(warning);
      process.on("warning", warn);
      onTestFinished(() => void process.off("warning", warn));
      const streams = [];
      for (let n = 0; n < 32; n += 1) streams.push(await open(tokens.control));
      expect(streams.every(({ response }) => response.status === 200)).toBe(true);
      // The token of a tab counts for the token that it was made for.
      for (const token of [tokens.control, tokens.tabToken("control")]) {
        const { response } = await open(token);
        expect([response.status, response.headers.get("retry-after")]).toEqual([429, "10"]);
        expect(await response.json()).toEqual({
          error: {
            code: "rate_limit_exceeded",
            message: expect.stringContaining("Close a tab of the page."),
          },
        });
      }
      expect((await open(tokens.read)).response.status).toBe(200);
      // A client that is gone, and one that cancels, make room.
      streams[0]?.leave();
      await streams[1]?.response.body?.cancel();
      for (const status of [200, 200, 429]) {
        expect((await open(tokens.control)).response.status).toBe(status);
      }
      app.close();
      // A warning comes a tick later.
      await sleep(1);
      expect(warnings).toEqual([]);
    },
  );

  it("does not read a source faster than the page reads", async () => {
    let sent = 0;
    const source = sourceNamed("a", (request, path) => {
      if (path.endsWith("/approvals/events")) return silence(request);
      const event = `data: {"kind":"turn.text","text":"${"x".repeat(1000)}"}\n\n`;
      return new Response(
        new ReadableStream(
          {
            pull(controller) {
              sent += 1;
              controller.enqueue(new TextEncoder().encode(event));
            },
          },
          { highWaterMark: 0 },
        ),
      );
    });
    const { body, leave } = await watch(singleSource(source));
    let before = -1;
    while (sent <= 100 || sent !== before) {
      before = sent;
      await sleep(50);
    }
    expect(sent).toBeLessThan(1000);
    // It goes on when the page reads.
    await take(body, sent + 100);
    expect(sent).toBeGreaterThan(before);
    leave();
  });
});
