import { describe, expect, it, onTestFinished } from "vitest";
import type { Options } from "../../src/options/index.js";
import { processes } from "../../src/process/index.js";
import type { Scenario } from "../../src/testing/index.js";
import { SubprocessTransport } from "../../src/transport/index.js";
import type { Frame } from "../../src/wire/index.js";
import { stillAlive, treeOf, until } from "../support/proc.js";
import { recordingLogger } from "../support/recording-logger.js";
import { reusedFake } from "../support/reused-fake.js";

const PROMPT = { type: "user", message: { role: "user", content: "go" } } as const;

async function line(scenario: Scenario, options: Options = {}): Promise<SubprocessTransport> {
  const cli = await reusedFake(scenario);
  const transport = new SubprocessTransport({ cliPath: cli.path, ...options });
  onTestFinished(() => transport.kill());
  await transport.connect();
  return transport;
}

async function frames(transport: SubprocessTransport): Promise<Frame[]> {
  const all: Frame[] = [];
  for await (const frame of transport.messages()) all.push(frame);
  return all;
}

/** The first message, after which the fake has done all steps of its start or turn. */
async function firstMessage(transport: SubprocessTransport): Promise<Record<string, unknown>> {
  for await (const frame of transport.messages()) {
    if (frame.kind === "message") return frame.message as unknown as Record<string, unknown>;
  }
  throw new Error("no message came");
}

describe.skipIf(process.platform !== "linux")("SubprocessTransport.close()", () => {
  it("kills a grandchild in a session of its own that ignores SIGTERM", async () => {
    const transport = await line({
      steps: [{ on: "start", do: [{ grandchild: { ignoreSigterm: true } }] }],
    });
    const grandchild = (await firstMessage(transport))["pid"] as number;
    const tree = treeOf(transport.pid as number);
    expect(tree.map(({ pid }) => pid)).toContain(grandchild);
    await transport.close();
    expect(stillAlive(tree)).toEqual([]);
  });

  it("kills a grandchild whose parent has exited", async () => {
    const transport = await line({
      steps: [{ on: "start", do: [{ grandchild: { inheritOutput: true } }, { exit: 5 }] }],
    });
    // The pid is in the output. The parent may have exited by then, so the kernel is asked for the pid alone.
    const all: Frame[] = [];
    const ended = (async () => {
      for await (const frame of transport.messages()) all.push(frame);
    })();
    await expect(ended).rejects.toMatchObject({ code: "process_exited", exitCode: 5 });
    const frame = all[0];
    const pid = frame?.kind === "message" ? (frame.message as unknown as { pid: number }).pid : 0;
    expect(pid).toBeGreaterThan(0);
    expect(treeOf(pid)).toEqual([]);
  });

  it("sends SIGTERM and SIGKILL to a process that ignores the end of input and SIGTERM", async () => {
    const { logger, entries } = recordingLogger();
    const transport = await line(
      {
        steps: [
          { on: "eof", do: [] },
          { on: "SIGTERM", times: "always", do: [] },
          { on: "start", do: [{ emit: { type: "up" } }] },
        ],
      },
      { closeGraceMs: 300, logger },
    );
    await firstMessage(transport);
    const tree = treeOf(transport.pid as number);
    await transport.close();
    expect(stillAlive(tree)).toEqual([]);
    expect(await transport.exited).toMatchObject({ code: null, signal: "SIGKILL" });
    const steps = entries
      .map(({ message }) => message)
      .filter((text) => text.startsWith("closing"));
    expect(steps).toEqual(["closing: end of input", "closing: SIGTERM", "closing: SIGKILL"]);
  });

  it("ends an idle process without a signal", async () => {
    const { logger, entries } = recordingLogger();
    const transport = await line(
      { steps: [{ on: "start", do: [{ emit: { type: "up" } }] }] },
      { logger, closeGraceMs: 60_000 },
    );
    await firstMessage(transport);
    await transport.close();
    expect(await transport.exited).toMatchObject({ code: 0, signal: null });
    const steps = entries
      .map(({ message }) => message)
      .filter((text) => text.startsWith("closing"));
    expect(steps).toEqual(["closing: end of input"]);
  });

  it("removes the process from processes()", async () => {
    const transport = await line({});
    const pid = transport.pid;
    expect(processes().map((each) => each.pid)).toContain(pid);
    await transport.close();
    expect(processes().map((each) => each.pid)).not.toContain(pid);
  });
});

describe("SubprocessTransport", () => {
  it("ends a process that closes stdout but does not exit, and rejects its reader", async () => {
    const transport = await line(
      {
        steps: [
          { on: "start", do: [{ closeStdout: true }] },
          { on: "eof", do: [] },
        ],
      },
      { closeGraceMs: 300 },
    );
    const tree = treeOf(transport.pid as number);
    await expect(frames(transport)).rejects.toMatchObject({
      code: "process_exited",
      message: "The CLI closed its output but did not exit, so it was killed.",
    });
    expect(stillAlive(tree)).toEqual([]);
  });

  it("reads a process that closes stdin to the end, also when the reader is far behind", async () => {
    const transport = await line(
      {
        steps: [
          {
            on: "start",
            do: [
              { closeStdin: true },
              { emit: { type: "big", text: "x".repeat(200_000) }, times: 400 },
              { emit: { type: "last" } },
              { exit: 0 },
            ],
          },
        ],
      },
      { closeGraceMs: 300 },
    );
    const refused = (async () => {
      for (;;) await transport.send(PROMPT);
    })();
    await expect(refused).rejects.toMatchObject({
      code: expect.stringMatching(/^(closed|process_exited)$/),
    });
    const all = await frames(transport);
    expect(all.length).toBe(401);
    expect(all.at(-1)).toEqual({ kind: "message", message: { type: "last" }, size: 15 });
  });

  it("reports process_exited, not a refused option, for an exit after the first turn", async () => {
    const transport = await line({
      steps: [
        { on: "user", do: [{ turn: "ok" }, { stderr: "git: unknown option\n" }, { exit: 1 }] },
      ],
    });
    await transport.send(PROMPT);
    await expect(frames(transport)).rejects.toMatchObject({ code: "process_exited", exitCode: 1 });
  });

  it("masks a long secret on stderr before it shortens the message", async () => {
    const secret = `canary-${"s".repeat(600)}`;
    const transport = await line(
      { steps: [{ on: "user", do: [{ stderr: `the token ${secret} is bad\n` }, { exit: 3 }] }] },
      { env: { MY_TOKEN: secret } },
    );
    await transport.send(PROMPT);
    await expect(frames(transport)).rejects.toMatchObject({
      message: "The CLI process ended with exit code 3: the token *** is bad",
      stderrTail: "the token *** is bad",
    });
  });

  it("reports the signal of a process that dies by one", async () => {
    const transport = await line({ steps: [{ on: "user", do: [{ die: "SIGKILL" }] }] });
    await transport.send(PROMPT);
    await expect(frames(transport)).rejects.toMatchObject({
      code: "process_exited",
      signal: "SIGKILL",
      message: "The CLI process ended by signal SIGKILL.",
    });
  });

  it("reports an unfinished last line of stderr", async () => {
    const lines: string[] = [];
    const transport = await line(
      { steps: [{ on: "user", do: [{ stderr: "one\nno luck" }, { exit: 1 }] }] },
      { stderr: (text) => lines.push(text) },
    );
    await transport.send(PROMPT);
    expect(await transport.exited).toMatchObject({ code: 1, stderrTail: "one\nno luck" });
    expect(lines).toEqual(["one", "no luck"]);
  });

  it("trims the end of stderr lines, and drops blank lines", async () => {
    const lines: string[] = [];
    const transport = await line(
      {
        steps: [
          {
            on: "user",
            do: [{ stderr: "  one  \r\n\r\n   \n\ttwo\t\nthree \r" }, { exit: 1 }],
          },
        ],
      },
      { stderr: (text) => lines.push(text) },
    );
    await transport.send(PROMPT);
    await transport.exited;
    expect(lines).toEqual(["  one", "\ttwo", "three"]);
  });

  it("drains a process that floods stderr, line by line, and keeps the end", async () => {
    const lines: string[] = [];
    const transport = await line(
      {
        steps: [
          {
            on: "user",
            do: [
              { stderr: `${"e".repeat(99)}\n`, times: 20_000 },
              { stderr: "last words\n" },
              { exit: 2 },
            ],
          },
        ],
      },
      { stderr: (text) => lines.push(text) },
    );
    await transport.send(PROMPT);
    await expect(frames(transport)).rejects.toMatchObject({ code: "process_exited", exitCode: 2 });
    expect(lines.length).toBe(20_001);
    expect(lines.at(-1)).toBe("last words");
    const { stderrTail } = await transport.exited;
    expect(stderrTail.endsWith("last words")).toBe(true);
    expect(stderrTail.length).toBeLessThanOrEqual(128 * 1024);
  });

  it("continues after a stderr callback that throws", async () => {
    const { logger, entries } = recordingLogger();
    const transport = await line(
      { steps: [{ on: "user", do: [{ stderr: "one\ntwo\n" }, { turn: "fine" }] }] },
      {
        logger,
        stderr: () => {
          throw new Error("broken callback");
        },
      },
    );
    await transport.send(PROMPT);
    await transport.endInput();
    expect((await frames(transport)).length).toBe(3);
    const told = entries.filter(({ message }) => message === "the stderr callback threw");
    expect(told.length).toBe(2);
  });

  it("continues after a stderr callback that rejects", async () => {
    const { logger, entries } = recordingLogger();
    const transport = await line(
      { steps: [{ on: "user", do: [{ stderr: "one\n" }, { turn: "fine" }] }] },
      { logger, stderr: (async () => Promise.reject(new Error("broken"))) as () => void },
    );
    await transport.send(PROMPT);
    await transport.endInput();
    expect((await frames(transport)).length).toBe(3);
    expect(entries.some(({ message }) => message === "the stderr callback threw")).toBe(true);
  });

  it("delivers a burst of messages that the process sends before it reads", async () => {
    const transport = await line({
      steps: [
        { on: "start", do: [{ emit: { type: "burst", text: "x".repeat(1000) }, times: 5000 }] },
      ],
    });
    await transport.send(PROMPT);
    await transport.endInput();
    expect((await frames(transport)).length).toBe(5003);
  });

  it("decodes characters that are split between two chunks", async () => {
    const message = { type: "text", text: "Wörter – 語 – 🪢 \u2028 end" };
    const transport = await line({
      steps: [{ on: "start", do: [{ write: `${JSON.stringify(message)}\n`, chunkBytes: 1 }] }],
    });
    await transport.endInput();
    expect(await frames(transport)).toEqual([
      { kind: "message", message, size: JSON.stringify(message).length },
    ]);
  });

  it("loses only the unfinished last line of a process that exits", async () => {
    const transport = await line({
      steps: [
        { on: "start", do: [{ emit: { type: "whole" } }, { write: '{"type":"ha' }, { exit: 0 }] },
      ],
    });
    const all = await frames(transport);
    expect(all[0]).toEqual({ kind: "message", message: { type: "whole" }, size: 16 });
    expect(all[1]).toMatchObject({ kind: "corrupt", error: { code: "protocol_error" } });
    expect(all.length).toBe(2);
  });

  it("loses only the line that exceeds maxLineBytes", async () => {
    const transport = await line(
      {
        steps: [
          {
            on: "start",
            do: [{ emit: { type: "a" } }, { longLine: 300_000 }, { emit: { type: "b" } }],
          },
        ],
      },
      { maxLineBytes: 200_000 },
    );
    await transport.endInput();
    const all = await frames(transport);
    expect(all.map(({ kind }) => kind)).toEqual(["message", "corrupt", "message"]);
    expect(all[1]).toMatchObject({ error: { code: "message_too_large" } });
    expect(all[2]).toEqual({ kind: "message", message: { type: "b" }, size: 12 });
  });

  it("applies backpressure to an unread process without losing lines", async () => {
    const { logger, entries } = recordingLogger();
    const count = 400;
    const transport = await line(
      {
        steps: [
          {
            on: "start",
            do: [{ emit: { type: "big", text: "x".repeat(200_000) }, times: count }],
          },
        ],
      },
      { logger },
    );
    await until(() => entries.some(({ message }) => message.startsWith("reading paused")));
    await transport.endInput();
    expect((await frames(transport)).length).toBe(count);
    expect(entries.some(({ message }) => message === "reading resumed")).toBe(true);
  });

  it("notices the death of a process whose reader is paused", async () => {
    const { logger, entries } = recordingLogger();
    const emit = { type: "big", text: "x".repeat(200_000) };
    const steps: Scenario["steps"] = [{ on: "start", do: [{ emit, times: 400 }] }];
    const transport = await line({ steps }, { logger });
    await until(() => entries.some(({ message }) => message.startsWith("reading paused")));
    process.kill(transport.pid as number, "SIGKILL");
    expect(await transport.exited).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  it("closes an unread process", async () => {
    const { logger, entries } = recordingLogger();
    const transport = await line(
      {
        steps: [
          {
            on: "start",
            do: [{ emit: { type: "big", text: "x".repeat(200_000) }, times: 400 }],
          },
        ],
      },
      { logger },
    );
    await until(() => entries.some(({ message }) => message.startsWith("reading paused")));
    const tree = treeOf(transport.pid as number);
    await transport.close();
    expect(stillAlive(tree)).toEqual([]);
  });
});
