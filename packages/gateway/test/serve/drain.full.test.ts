import { connect } from "node:net";
import { hang, reply } from "hawser/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EventReader } from "../native/native-world.helper.js";
import { RawConnection } from "../support/raw-http.js";
import { type ServedWorld, servedWorld } from "../support/served-world.js";

const CONFIG = { agents: { helper: {} }, pool: { size: { min: 0, max: 2 } } };

function message(content: string): object {
  return { model: "sonnet", max_tokens: 100, stream: true, messages: [{ role: "user", content }] };
}

/** A session of the native API. */
async function opened({ ask }: ServedWorld): Promise<string> {
  const response = await ask("/hawser/v1/sessions", { agent: "helper" });
  const { session } = (await response.json()) as { session: { id: string } };
  return session.id;
}

async function watch(url: string): Promise<EventReader> {
  const leave = new AbortController();
  const { body } = await fetch(`${url}/hawser/v1/events`, { signal: leave.signal });
  if (body === null) throw new Error("The stream has no body.");
  const reader = new EventReader(body, leave);
  await reader.untilKind("snapshot", 0);
  return reader;
}

/** Resolves when a piece of an answer can go on. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const waits = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened: waits, open };
}

describe("drain()", () => {
  it("cuts off a stream after drainMs, says so, and the stream does not look complete", async () => {
    const world = await servedWorld({ ...CONFIG, drainMs: 300 });
    world.script(hang("Once upon a time"));
    const response = await world.ask("/v1/messages", message("A story."));
    const text = response.text().catch((error: unknown) => String(error));
    await world.server.drain();
    expect(world.warnings.join()).toContain("after 300 ms");
    expect(await text).not.toContain("message_stop");
    await world.server.ended;
  });

  it("answers requests on open connections with 503, Retry-After and connection: close", async () => {
    const world = await servedWorld(CONFIG);
    const { port } = world.server;
    const connection = new RawConnection(port);
    connection.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(await connection.status()).toBe(200);
    // A part of the next request keeps the connection from being closed as an idle one.
    connection.write("GET /v1/models HTTP/1.1\r\nhost: localhost\r\n");
    world.script(hang("Once upon a time"));
    const asked = world.nextCall();
    const stream = world.ask("/v1/messages", message("A story.")).catch(() => {});
    await asked;
    const drained = world.server.drain();
    connection.write("\r\n");
    await connection.closed;
    const [, , refused = ""] = connection.text.split("HTTP/1.1 ");
    expect(refused).toMatch(/^503 /);
    expect(refused).toMatch(/^retry-after: 1\r$/im);
    expect(refused).toMatch(/^connection: close\r$/im);
    expect(refused).toMatch(/^x-should-retry: true\r$/im);
    expect(refused).toContain('"code":"draining"');
    await world.server.close();
    await drained;
    await stream;
  });

  it("waits for a turn that no request waits for, and shows its end to those who watch", async () => {
    const world = await servedWorld(CONFIG);
    const id = await opened(world);
    const events = await watch(world.url);
    const { opened: mayEnd, open } = gate();
    world.script(async () => {
      await mayEnd;
      return reply("A bowline.");
    });
    const asked = world.nextCall();
    expect((await world.ask(`/hawser/v1/sessions/${id}/turns`, { prompt: "?" })).status).toBe(202);
    await asked;
    let isOver = false;
    const drained = world.server.drain().then(() => {
      isOver = true;
    });
    await vi.waitFor(() => expect(fetch(`${world.url}/health`)).rejects.toThrow());
    expect(isOver).toBe(false);
    open();
    const { data } = await events.untilKind("turn.end", 0);
    expect(data).toMatchObject({ outcome: "ok", text: "A bowline." });
    await drained;
    await expect(events.until(() => false)).rejects.toThrow("ended");
    expect(world.warnings.join()).not.toContain("cut off");
  });

  it("ends a turn after drainMs with an event that names the reason", async () => {
    const world = await servedWorld({ ...CONFIG, drainMs: 300 });
    const id = await opened(world);
    const events = await watch(world.url);
    world.script(hang("Once upon a time"));
    await world.ask(`/hawser/v1/sessions/${id}/turns`, { prompt: "A story." });
    await events.untilKind("turn.text", 0);
    const drained = world.server.drain();
    const { data } = await events.untilKind("turn.end", 0);
    expect(data).toMatchObject({ session: id, reason: "draining" });
    expect(data.outcome).not.toBe("ok");
    await drained;
    expect(world.warnings.join()).toContain("after 300 ms");
  });
});

describe("listen.maxConnections", () => {
  it("closes further connections, and takes new ones when others have ended", async () => {
    const world = await servedWorld({ ...CONFIG, listen: { maxConnections: 2 } });
    const { port } = world.server;
    const health = "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n";
    const held = [new RawConnection(port), new RawConnection(port)];
    for (const connection of held) connection.write(health);
    for (const connection of held) expect(await connection.status()).toBe(200);
    const refused = connect(port, "127.0.0.1");
    onTestFinished(() => void refused.destroy());
    refused.on("error", () => {});
    await new Promise<void>((resolve) => refused.once("close", () => resolve()));
    expect(refused.bytesRead).toBe(0);
    held[0]?.destroy();
    await vi.waitFor(async () => {
      const next = new RawConnection(port);
      next.write(health);
      expect(await next.status()).toBe(200);
    });
  });
});
