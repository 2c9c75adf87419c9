import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { Transport } from "../../src/transport/index.js";
import type { Frame, Message, Outbound } from "../../src/wire/index.js";

/** The behaviour of the peer, which exits at the end of its input. */
export type Peer =
  /** Sends every line back inside `{ type: "echo", line }`. */
  | { readonly does: "echo" }
  /** Sends these lines unchanged when it starts. */
  | { readonly does: "emit"; readonly lines: readonly string[] }
  /** Exits with this code after its first line. */
  | { readonly does: "die"; readonly code: number; readonly stderr: string }
  /** Never reads. */
  | { readonly does: "ignore" };

/** The tests of every transport. Each implementation passes its own way to create one. */
export function describeTransport(name: string, open: (peer: Peer) => Promise<Transport>): void {
  const lines: Transport[] = [];
  const line = async (peer: Peer): Promise<Transport> => {
    const transport = await open(peer);
    lines.push(transport);
    return transport;
  };
  afterEach(async () => {
    await Promise.all(lines.splice(0).map((each) => each.kill()));
  });

  describe(`${name}.connect()`, () => {
    it("connects once when connect() is called twice", async () => {
      const transport = await line({ does: "echo" });
      await Promise.all([transport.connect(), transport.connect()]);
      await transport.connect();
      expect(transport.ready).toBe(true);
      await transport.send(user("one"));
      expect(await firstOf(transport)).toEqual(echo(user("one")));
    });

    it("rejects with closed after close()", async () => {
      const transport = await line({ does: "echo" });
      await transport.close();
      await expect(transport.connect()).rejects.toMatchObject({ code: "closed" });
      expect(transport.ready).toBe(false);
    });
  });

  describe(`${name}.send()`, () => {
    it("rejects before connect()", async () => {
      const transport = await line({ does: "echo" });
      expect(transport.ready).toBe(false);
      await expect(transport.send(user("early"))).rejects.toMatchObject({
        code: "closed",
        message: "The transport is not connected yet.",
      });
    });

    it("rejects after endInput(), while answers still arrive", async () => {
      const transport = await line({ does: "echo" });
      await transport.connect();
      await transport.send(user("last"));
      await transport.endInput();
      expect(transport.ready).toBe(false);
      await expect(transport.send(user("late"))).rejects.toMatchObject({
        code: "closed",
        message: "The input of this connection has ended.",
      });
      expect(await allOf(transport)).toEqual([echo(user("last"))]);
    });

    it("rejects with the exit code after the peer has died", async () => {
      const transport = await line({ does: "die", code: 3, stderr: "boom" });
      await transport.connect();
      await transport.send(user("die"));
      await transport.exited;
      expect(transport.ready).toBe(false);
      await expect(transport.send(user("more"))).rejects.toMatchObject({
        code: "process_exited",
        exitCode: 3,
        stderrTail: "boom",
      });
    });

    it("rejects after close()", async () => {
      const transport = await line({ does: "echo" });
      await transport.connect();
      await transport.close();
      await expect(transport.send(user("late"))).rejects.toMatchObject({ code: "closed" });
    });

    it("never interleaves concurrent lines, also beyond the size of a pipe", async () => {
      const transport = await line({ does: "echo" });
      await transport.connect();
      const messages = Array.from({ length: 40 }, (_, i) => user(`${i} ${"ä".repeat(20_000 + i)}`));
      const received = take(transport, messages.length);
      await Promise.all(messages.map((message) => transport.send(message)));
      expect(await received).toEqual(messages.map(echo));
    });

    it("rejects when the peer dies during the write, and leaves no rejection unhandled", async () => {
      const failures = uncaught();
      const transport = await line({ does: "die", code: 7, stderr: "gone" });
      await transport.connect();
      const big = user("x".repeat(4_000_000));
      const outcomes = await Promise.allSettled(
        Array.from({ length: 5 }, () => transport.send(big)),
      );
      await transport.exited;
      const refused = outcomes.filter((outcome) => outcome.status === "rejected");
      for (const { reason } of refused)
        expect(reason).toMatchObject({ code: "process_exited", exitCode: 7 });
      await expect(transport.send(big)).rejects.toMatchObject({ code: "process_exited" });
      expect(failures).toEqual([]);
    });

    it("rejects on close() when the peer does not read", async () => {
      const transport = await line({ does: "ignore" });
      await transport.connect();
      const stuck = Promise.allSettled(
        Array.from({ length: 4 }, () => transport.send(user("x".repeat(1_000_000)))),
      );
      await transport.kill();
      for (const outcome of await stuck) {
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "closed" });
      }
    });
  });

  describe(`${name}.messages()`, () => {
    it("yields messages, noise and corrupt lines in order, and ends", async () => {
      const transport = await line({
        does: "emit",
        lines: [
          '{"type":"system","subtype":"new"}',
          "Warning: noise",
          '{"broken":',
          '{"type":"later"}',
        ],
      });
      await transport.connect();
      await transport.endInput();
      const frames = await framesOf(transport);
      expect(frames.map(({ kind }) => kind)).toEqual(["message", "noise", "corrupt", "message"]);
      expect(frames[0]).toEqual({
        kind: "message",
        message: { type: "system", subtype: "new" },
        size: 33,
      });
      expect(frames[2]).toMatchObject({ kind: "corrupt", error: { code: "protocol_error" } });
    });

    it("may begin before connect()", async () => {
      const transport = await line({ does: "echo" });
      const first = firstOf(transport);
      await transport.connect();
      await transport.send(user("hello"));
      expect(await first).toEqual(echo(user("hello")));
    });

    it("allows one reader", async () => {
      const transport = await line({ does: "echo" });
      transport.messages();
      expect(() => transport.messages()).toThrowError(
        expect.objectContaining({ code: "already_consumed" }),
      );
    });

    it("throws after the last message when the peer has failed", async () => {
      const transport = await line({ does: "die", code: 4, stderr: "why" });
      await transport.connect();
      await transport.send(user("die"));
      await expect(allOf(transport)).rejects.toMatchObject({
        code: "process_exited",
        exitCode: 4,
        stderrTail: "why",
      });
      expect(await transport.exited).toEqual({ code: 4, signal: null, stderrTail: "why" });
    });

    it("ends without an error on close()", async () => {
      const transport = await line({ does: "echo" });
      await transport.connect();
      const all = allOf(transport);
      await transport.close();
      expect(await all).toEqual([]);
    });

    it("may be left early, without blocking close()", async () => {
      const transport = await line({ does: "echo" });
      await transport.connect();
      await transport.send(user("one"));
      expect(await firstOf(transport)).toEqual(echo(user("one")));
      await transport.send(user("two"));
      await transport.close();
      await transport.exited;
    });
  });

  describe(`${name}.close()`, () => {
    it("resolves at once before connect()", async () => {
      const transport = await line({ does: "echo" });
      await transport.close();
      await transport.exited;
      expect(await allOf(transport)).toEqual([]);
    });

    it("ends a transport that is connecting", async () => {
      const transport = await line({ does: "echo" });
      const connecting = transport.connect().catch((error: unknown) => error);
      await transport.close();
      await transport.exited;
      const outcome = await connecting;
      if (outcome !== undefined) expect(outcome).toMatchObject({ code: "closed" });
      expect(transport.ready).toBe(false);
    });

    it("closes once when it is called concurrently", async () => {
      const transport = await line({ does: "echo" });
      await transport.connect();
      await Promise.all([transport.close(), transport.kill(), transport.close()]);
      await transport.close();
      expect(transport.ready).toBe(false);
    });

    it("sends `first` before it ends the input", async () => {
      const transport = await line({ does: "echo" });
      await transport.connect();
      const all = allOf(transport);
      await transport.close({ first: user("farewell") });
      expect(await all).toEqual([echo(user("farewell"))]);
    });

    it("leaves no rejection unhandled while other code sends and reads", async () => {
      const failures = uncaught();
      const transport = await line({ does: "echo" });
      await transport.connect();
      const reading = allOf(transport);
      const messages = Array.from({ length: 200 }, (_, i) => user(`${i} ${"x".repeat(3000)}`));
      const sending = Promise.allSettled(messages.map((message) => transport.send(message)));
      const closing = transport.close();
      const [received, sent] = await Promise.all([reading, sending, closing]);
      // The end may be missing, but the messages before it are whole, in order and without a gap.
      expect(received).toEqual(messages.slice(0, received.length).map(echo));
      for (const outcome of sent) {
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "closed" });
      }
      expect(failures).toEqual([]);
    });
  });
}

function user(text: string): Outbound {
  return { type: "user", message: { role: "user", content: text } } as Outbound;
}

function echo(line: Outbound): Message {
  return { type: "echo", line } as unknown as Message;
}

async function framesOf(transport: Transport): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of transport.messages()) frames.push(frame);
  return frames;
}

async function allOf(transport: Transport): Promise<Message[]> {
  return (await framesOf(transport)).flatMap((frame) =>
    frame.kind === "message" ? [frame.message] : [],
  );
}

async function take(transport: Transport, count: number): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const frame of transport.messages()) {
    if (frame.kind === "message") messages.push(frame.message);
    if (messages.length === count) break;
  }
  return messages;
}

async function firstOf(transport: Transport): Promise<Message | undefined> {
  return (await take(transport, 1))[0];
}

/** The errors that would have ended the program without the listeners of this test. */
function uncaught(): unknown[] {
  const failures: unknown[] = [];
  const note = (error: unknown) => void failures.push(error);
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
  onTestFinished(() => {
    process.off("unhandledRejection", note);
    process.off("uncaughtException", note);
  });
  return failures;
}
