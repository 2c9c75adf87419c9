import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SocketSource, type SocketTimes } from "../../src/announce/socket-source.js";
import { PageFiles } from "../../src/files/page-files.js";
import { readSse } from "../../src/http/read-sse.js";
import { Tokens } from "../../src/http/tokens.js";
import { InspectorApp } from "../../src/inspector-app.js";
import type { Source } from "../../src/sources/source.js";
import { pageFolder } from "./page-folder.helper.js";

/** A program on a unix socket that answers in any way, as a source. */
async function program(answer: RequestListener, times?: SocketTimes): Promise<SocketSource> {
  const folder = mkdtempSync("/tmp/hi-");
  const server = createServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const socket = join(folder, "1-a.sock");
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const info = { id: "1-a", name: "a", kind: "process", isSelf: false } as const;
  return new SocketSource(info, socket, times);
}

const QUICK: SocketTimes = { readMs: 200, changeMs: 300, silenceMs: 200 };

function get(path = "/hawser/v1/state", signal?: AbortSignal): Request {
  return new Request(`http://localhost${path}`, { ...(signal && { signal }) });
}

async function codeOf(response: Response): Promise<readonly [number, string]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

describe("SocketSource", () => {
  it("does not wait without end for a program that does not answer", async () => {
    const source = await program(() => {}, QUICK);
    expect(await codeOf(await source.fetch(get(), "read"))).toEqual([504, "timeout"]);
    const post = new Request("http://localhost/hawser/v1/sessions", { method: "POST", body: "{}" });
    expect(await codeOf(await source.fetch(post, "control"))).toEqual([504, "timeout"]);
  });

  it("ends an answer in which a program falls silent", async () => {
    const times = { ...QUICK, readMs: 60_000 };
    const source = await program((_request, response) => void response.write("a"), times);
    const response = await source.fetch(get(), "read");
    await expect(response.text()).rejects.toThrow();
  });

  it("reads no more than its client does from a program that sends without end", async () => {
    let sent = 0;
    let isClosed = false;
    const piece = Buffer.alloc(65_536, "x");
    const source = await program((_request, response) => {
      const send = () => {
        do sent += piece.length;
        while (!isClosed && response.write(piece));
      };
      response.on("drain", send);
      response.on("close", () => {
        isClosed = true;
      });
      send();
    });
    const response = await source.fetch(get(), "read");
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let before = -1;
    await vi.waitFor(
      () => {
        const now = sent;
        const isQuiet = now > 0 && now === before;
        before = now;
        expect(isQuiet).toBe(true);
      },
      { timeout: 30_000, interval: 200 },
    );
    // The buffers of the socket and of two streams.
    expect(sent).toBeLessThan(8 * 2 ** 20);
    await reader.read();
    await reader.cancel();
    await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 30_000 });
  });

  it("ends the request to the program when its client is gone", async () => {
    let left = 0;
    const leave = new AbortController();
    const source = await program((_request, response) => {
      response.on("close", () => {
        left += 1;
      });
      leave.abort();
    });
    const answer = source.fetch(get("/hawser/v1/state", leave.signal), "read");
    expect((await answer).status).toBe(502);
    await vi.waitFor(() => expect(left).toBe(1), { timeout: 30_000 });
  });

  it("takes no request of more than 32 MB", async () => {
    let asked = 0;
    const source = await program((_request, response) => {
      asked += 1;
      response.end("{}");
    });
    const send = (bytes: number) => {
      const body = Buffer.alloc(bytes, "x");
      const url = "http://localhost/hawser/v1/sessions";
      return source.fetch(new Request(url, { method: "POST", body }), "control");
    };
    expect(await codeOf(await send(32 * 2 ** 20 + 1))).toEqual([413, "request_too_large"]);
    expect(asked).toBe(0);
    expect((await send(1000)).status).toBe(200);
  });

  it.each([100, 199, 600, 999])(
    "is a 502 if a program answers with the status %i",
    async (status) => {
      const source = await program((_request, response) => {
        response.socket?.end(`HTTP/1.1 ${status} What\r\ncontent-length: 0\r\n\r\n`);
      }, QUICK);
      expect([502, 504]).toContain((await source.fetch(get(), "read")).status);
    },
  );
});

describe("GET /watch with a program that misbehaves", () => {
  /** What a page gets of the good source while the other one does what it wants. */
  async function eventsBeside(bad: Source): Promise<void> {
    const good = await program((request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      if (request.url?.endsWith("/approvals/events") === true) return;
      for (let n = 1; n <= 500; n += 1) response.write(`id: r-${n}\ndata: {"n":${n}}\n\n`);
    });
    const sources = [{ info: { ...good.info, id: "good" }, fetch: good.fetch.bind(good) }, bad];
    const tokens = new Tokens();
    const app = new InspectorApp({
      files: new PageFiles(pageFolder()),
      authenticator: tokens,
      sources: { list: () => sources, listen: () => () => {} },
      hosts: [],
    });
    const headers = { authorization: `Bearer ${tokens.control}` };
    const { body } = await app.fetch(new Request("http://localhost/watch", { headers }));
    const seen: number[] = [];
    let isTold = false;
    for await (const { data } of readSse(body as ReadableStream<Uint8Array>)) {
      const message = JSON.parse(data ?? "{}");
      if (message.source === "good" && message.type === "event") seen.push(message.event.n);
      if (message.source === bad.info.id) isTold = true;
      if (seen.length === 500 && isTold) break;
    }
    expect(seen).toEqual(Array.from({ length: 500 }, (_, at) => at + 1));
    app.close();
  }

  it.each([
    ["hangs", () => {}],
    ["falls silent", (_request, response) => void response.write(": hello\n\n")],
    ["sends no JSON", (_request, response) => response.end("data: {\n\n")],
    ["sends null", (_request, response) => response.end("data: null\n\n")],
    [
      "sends one event without end",
      (_request, response) => {
        const send = () => {
          while (!response.destroyed && response.write(`data: ${"x".repeat(65_536)}`));
        };
        response.on("drain", send);
        response.on("error", () => {});
        send();
      },
    ],
    [
      "sends events without end",
      (_request, response) => {
        const send = () => {
          while (!response.destroyed && response.write('id: \u00fc\ndata: {"kind":"x"}\n\n'));
        };
        response.on("drain", send);
        response.on("error", () => {});
        send();
      },
    ],
  ] satisfies [string, RequestListener][])(
    "loses and delays no event of another one: it %s",
    async (_what, answer) => {
      await eventsBeside(await program(answer, QUICK));
    },
  );
});
