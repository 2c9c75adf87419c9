import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { closeServer, httpServer, listen } from "../../src/http/listen.js";
import { OpenStreams } from "../../src/http/open-streams.js";

async function started(server: Server): Promise<number> {
  await listen(server, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => closeServer(server));
  return (server.address() as AddressInfo).port;
}

async function opened(port: number, text: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  socket.write(text);
  return socket;
}

const GET = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

describe("httpServer()", () => {
  it("leaves a client that does not take its answer, and counts its stream no more", async () => {
    const streams = new OpenStreams();
    let isCancelled = false;
    const endless = () =>
      new Response(
        new ReadableStream<Uint8Array>(
          {
            pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
            cancel() {
              isCancelled = true;
            },
          },
          { highWaterMark: 0 },
        ),
      );
    const server = httpServer((request) => streams.respond("a", request.signal, endless), 200);
    const port = await started(server);
    const socket = await opened(port, GET);
    await new Promise<void>((resolve) => socket.once("data", () => resolve()));
    socket.pause();
    const open = promisify(server.getConnections.bind(server));
    await expect.poll(open).toBe(0);
    await expect.poll(() => isCancelled).toBe(true);
    for (let n = 0; n < 32; n += 1) {
      const { signal } = new AbortController();
      expect((await streams.respond("a", signal, endless)).status).toBe(200);
    }
  });

  it("waits for an answer that takes long, although nothing is sent meanwhile", async () => {
    // Many times the limit for a client that does not take its answer.
    const server = httpServer(async () => {
      await sleep(400);
      return new Response("late");
    }, 20);
    const socket = await opened(await started(server), GET);
    const [chunk] = await new Promise<[Buffer]>((resolve) =>
      socket.once("data", (data: Buffer) => resolve([data])),
    );
    expect(String(chunk)).toContain("200 OK");
  });

  it("does not end the program when a connection cannot be accepted, or a handler throws", async () => {
    const server = httpServer(async () => {
      throw new Error("broken");
    });
    const port = await started(server);
    expect(server.emit("error", new Error("EMFILE"))).toBe(true);
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: { code: "internal", message: expect.any(String) } },
    ]);
  });

  it("answers a request without a usable host with a 400", async () => {
    const socket = await opened(
      await started(httpServer(async () => new Response("no"))),
      "GET / HTTP/1.1\r\nhost: a b\r\n\r\n",
    );
    const text = await new Promise<string>((resolve) =>
      socket.once("data", (data: Buffer) => resolve(String(data))),
    );
    expect(text).toContain("400 Bad Request");
  });
});

describe("OpenStreams", () => {
  it("does not count what fails, or has no body", async () => {
    const streams = new OpenStreams();
    const { signal } = new AbortController();
    for (let n = 0; n < 40; n += 1) {
      const failed = streams.respond("a", signal, () => Promise.reject(new Error("no")));
      await expect(failed).rejects.toThrow("no");
      const empty = streams.respond("a", signal, () => new Response(null, { status: 204 }));
      expect((await empty).status).toBe(204);
    }
  });

  it("refuses a stream of any token if all together read 256, and takes one when another has ended", async () => {
    const streams = new OpenStreams();
    const { signal } = new AbortController();
    const open = (caller: string) =>
      streams.respond(caller, signal, () => new Response(new ReadableStream<Uint8Array>()));
    const first = await open("tenant 0");
    for (let n = 1; n < 256; n += 1) expect((await open(`tenant ${n}`)).status).toBe(200);
    const refused = await open("another");
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("All tokens together read 256 streams");
    await first.body?.cancel();
    expect((await open("another")).status).toBe(200);
  });
});
