import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type Action,
  fakeCli,
  type Grandchild,
  type Scenario,
  type Trigger,
} from "../../src/testing/index.js";
import { CliProcess, type Line, STREAM_JSON } from "./cli-process.helper.js";

const ENV = { PATH: process.env["PATH"] ?? "", MARKER: "in-the-family" };
const posix = process.platform !== "win32";

async function play(steps: Scenario["steps"], args = STREAM_JSON) {
  const cli = await fakeCli({ steps: steps ?? [] });
  const run = new CliProcess(cli.path, args, { env: ENV });
  const dispose = async () => {
    await run[Symbol.asyncDispose]();
    await cli.dispose();
  };
  return { cli, run, [Symbol.asyncDispose]: dispose };
}

const on = (trigger: Trigger, ...actions: Action[]) => ({ on: trigger, do: actions });

describe("fakeCli() exit", () => {
  it.each(["start", "initialize", "user", "eof"] as const)(
    "with a code at step %s",
    async (when) => {
      await using fake = await play([on(when, { exit: 7 })]);
      fake.run.send({
        type: "control_request",
        request_id: "r",
        request: { subtype: "initialize" },
      });
      fake.run.send({ type: "user", message: { role: "user", content: "go" } });
      expect(await fake.run.end()).toEqual({ code: 7, signal: null });
    },
  );

  it.runIf(posix).each(["SIGKILL", "SIGTERM", "SIGSEGV"] as const)(
    "by signal %s",
    async (signal) => {
      await using fake = await play([on("user", { assistant: "so" }, { die: signal })]);
      fake.run.send({ type: "user", message: { role: "user", content: "go" } });
      expect(await fake.run.exit).toEqual({ code: null, signal });
      await fake.run.closed;
      expect(fake.run.lines).toHaveLength(1);
    },
  );
});

describe("fakeCli() start", () => {
  const initialize = {
    type: "control_request",
    request_id: "r",
    request: { subtype: "initialize" },
  };

  it("can hang without output", async () => {
    await using fake = await play([on("start", { stderr: "up" }, { hang: true })]);
    fake.run.send(initialize);
    await fake.run.until(() => fake.run.stderr === "up");
    fake.run.child.kill("SIGTERM");
    await fake.run.exit;
    expect(fake.run.stdout).toHaveLength(0);
    expect((await fake.cli.recorded())[0]?.lines).toEqual([]);
  });

  it("can be slow", async () => {
    await using fake = await play([on("start", { sleep: 300 })]);
    const from = performance.now();
    fake.run.send(initialize);
    await fake.run.until(() => fake.run.lines.length === 1);
    expect(performance.now() - from).toBeGreaterThan(299);
  });
});

describe("fakeCli() answers a control request", () => {
  const SLOW = { type: "slow" };
  const cases: readonly (readonly [string, readonly Action[], readonly unknown[]])[] = [
    ["twice", [{ default: true }, { respond: { again: true } }], ["success", "success"]],
    ["late", [{ emit: SLOW }, { sleep: 50 }, { default: true }], ["slow", "success"]],
    ["with an error", [{ respondError: "not now" }], ["error"]],
    ["never", [], []],
  ];
  it.each(cases)("%s", async (_, actions, kinds) => {
    await using fake = await play([on("control", ...actions)]);
    const request = { subtype: "set_max_thinking_tokens" };
    fake.run.send({ type: "control_request", request_id: "first", request });
    await fake.run.until(() => fake.run.lines.length === kinds.length);
    fake.run.send({ type: "control_request", request_id: "second", request });
    await fake.run.line((line) => responseOf(line)["request_id"] === "second");
    const seen = fake.run.lines.slice(0, -1);
    expect(seen.map((line) => responseOf(line)["subtype"] ?? line["type"])).toEqual(kinds);
  });

  function responseOf(line: Line): Line {
    return (line["response"] as Line | undefined) ?? {};
  }
});

describe("fakeCli() result", () => {
  it.each<[string, Action[], number]>([
    ["can be repeated", [{ turn: "so" }, { result: { result: "so" } }], 2],
    ["can be missing", [{ init: {} }, { assistant: "so" }], 0],
  ])("%s", async (_, actions, times) => {
    await using fake = await play([on("user", ...actions)]);
    fake.run.send({ type: "user", message: { role: "user", content: "go" } });
    expect(await fake.run.end()).toEqual({ code: 0, signal: null });
    await fake.run.closed;
    expect(fake.run.lines.filter((line) => line["type"] === "result")).toHaveLength(times);
  });
});

describe("fakeCli() version", () => {
  it("can be slow or invalid", async () => {
    await using fake = await play([on("version", { sleep: 50 }, { write: "invalid\n" })], ["-v"]);
    expect(await fake.run.exit).toEqual({ code: 0, signal: null });
    await fake.run.closed;
    expect(fake.run.stdout.toString()).toBe("invalid\n");
  });

  it("can be missing", async () => {
    await using fake = await play([on("version", { stderr: "stuck" }, { hang: true })], ["-v"]);
    await fake.run.until(() => fake.run.stderr === "stuck");
    expect(fake.run.child.exitCode).toBeNull();
  });
});

describe("fakeCli() output", () => {
  it("can be garbage and an unfinished line", async () => {
    const half = '{"type":"assis';
    await using fake = await play([
      on("start", { write: "noise\n\u0000\u0001\n" }, { write: half }, { exit: 0 }),
    ]);
    await fake.run.closed;
    expect(fake.run.stdout.toString()).toBe(`noise\n\u0000\u0001\n${half}`);
    expect(fake.run.lines).toEqual([]);
  });

  it("can be a very long line", async () => {
    await using fake = await play([on("user", { longLine: 20_000_000 }, { turn: "after" })]);
    await fake.run.turn("go");
    expect(JSON.stringify(fake.run.lines[0]).length).toBeGreaterThan(20_000_000);
    expect(fake.run.lines.at(-1)).toMatchObject({ result: "after" });
  });

  it("can be split inside a character", async () => {
    const text = '{"type":"x","text":"é😀"}\n';
    await using fake = await play([
      on(
        "start",
        { write: text, chunkBytes: 21, gapMs: 300 },
        { write: "/w==", encoding: "base64" },
      ),
    ]);
    const bytes = Buffer.from(text);
    await fake.run.until(() => fake.run.stdout.length === bytes.length + 1);
    expect(fake.run.stdout).toEqual(Buffer.concat([bytes, Buffer.from([0xff])]));
    const split = fake.run.chunks.some((chunk) => chunk.toString("utf8").includes("\ufffd"));
    expect(split).toBe(true);
  });

  it("can be unknown messages", async () => {
    const unknown = { type: "novelty", subtype: "of next year", nested: [{}] };
    await using fake = await play([on("user", { emit: unknown }, { turn: "so" })]);
    expect((await fake.run.turn("go"))[0]).toEqual(unknown);
  });

  it("can be a burst before it reads, and 10,000 lines at once", async () => {
    const line = { type: "burst", filler: "x".repeat(80) };
    await using fake = await play([on("start", { emit: line, times: 10_000 })]);
    const lines = await fake.run.turn("go");
    expect(fake.run.lines.filter((one) => one["type"] === "burst")).toHaveLength(10_000);
    expect(lines.at(-1)).toMatchObject({ result: "ok" });
  });

  it("can be stderr, in one line or in very many", async () => {
    await using fake = await play([
      on("start", { stderr: "one line\n" }, { stderr: "x".repeat(1023).concat("\n"), times: 2048 }),
    ]);
    await fake.run.turn("go");
    await fake.run.until(() => fake.run.stderr.length === 9 + 2 * 1024 * 1024);
    expect(fake.run.stderr.startsWith("one line\nxxx")).toBe(true);
  });
});

describe("fakeCli()", () => {
  it("can leave a prompt unanswered and live on", async () => {
    await using fake = await play([on("user"), on("user", { turn: "this one" })]);
    fake.run.send({ type: "user", message: { role: "user", content: "ignored" } });
    expect((await fake.run.turn("go")).at(-1)).toMatchObject({ result: "this one" });
  });

  it("can stop reading, so that the writes of the host are buffered", async () => {
    await using fake = await play([on("start", { stopReading: true }, { emit: { type: "deaf" } })]);
    await fake.run.line((line) => line["type"] === "deaf");
    const written = new Promise<unknown>((resolve) => {
      fake.run.child.stdin?.write(`${"x".repeat(4_000_000)}\n`, resolve);
    });
    fake.run.child.kill("SIGTERM");
    expect(await fake.run.exit).toEqual({ code: 143, signal: null });
    expect((await fake.cli.recorded())[0]?.lines).toEqual([]);
    expect(await written).toBeInstanceOf(Error);
  });

  it("can stop reading after a step, also the end of input", async () => {
    await using fake = await play([on("user", { stopReading: true }, { turn: "last" })]);
    await fake.run.turn("go");
    fake.run.send({ type: "user", message: { role: "user", content: "unheard" } });
    fake.run.child.stdin?.end();
    fake.run.child.kill("SIGTERM");
    expect(await fake.run.exit).toEqual({ code: 143, signal: null });
    expect(await fake.cli.recorded()).toMatchObject([{ eof: false, lines: { length: 1 } }]);
  });

  it.runIf(posix)("can ignore SIGTERM and the end of input", async () => {
    await using fake = await play([
      { on: "SIGTERM", times: "always", do: [{ emit: { type: "ignored" } }] },
      on("eof", { emit: { type: "eof" } }),
    ]);
    await fake.run.turn("go");
    fake.run.child.stdin?.end();
    await fake.run.line((line) => line["type"] === "eof");
    fake.run.child.kill("SIGTERM");
    await fake.run.line((line) => line["type"] === "ignored");
    fake.run.child.kill("SIGKILL");
    expect(await fake.run.exit).toEqual({ code: null, signal: "SIGKILL" });
    expect((await fake.cli.recorded())[0]?.signals).toEqual(["SIGTERM"]);
  });

  it("can close stdout and live on", async () => {
    await using fake = await play([on("user", { turn: "bye" }, { closeStdout: true })]);
    await fake.run.turn("go");
    await fake.run.closedStdout;
    fake.run.send({ type: "user", message: { role: "user", content: "to nobody" } });
    expect(await fake.run.end()).toEqual({ code: 0, signal: null });
    expect((await fake.cli.recorded())[0]?.lines).toHaveLength(2);
  });
});

describe.runIf(process.platform === "linux")("fakeCli() grandchild", () => {
  const children: readonly (readonly [string, Grandchild])[] = [
    ["that is plain", {}],
    ["that ignores SIGTERM", { ignoreSigterm: true }],
    ["that holds the output open", { inheritOutput: true, seconds: 60 }],
  ];
  it.each(children)("%s outlives the fake in a session of its own", async (_, grandchild) => {
    await using fake = await play([on("user", { grandchild }, { turn: "started" })]);
    const lines = await fake.run.turn("go");
    const born = lines.find((line) => line["subtype"] === "fake_grandchild");
    const pid = Number(born?.["pid"]);
    fake.run.child.kill("SIGKILL");
    await fake.run.exit;
    try {
      expect(sessionOf(pid)).toBe(pid);
      expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toContain("MARKER=in-the-family");
      if (!grandchild.inheritOutput) await fake.run.closed;
      process.kill(pid, "SIGTERM");
      await goneOrNot(pid, grandchild.ignoreSigterm === true);
      await fake.run.closed;
    } finally {
      if (sessionOf(pid) !== undefined) process.kill(pid, "SIGKILL");
    }
  });
});

/** The session of a living process. A zombie does not count as living. */
function sessionOf(pid: number): number | undefined {
  try {
    const [state, , , session] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return state === "Z" ? undefined : Number(session);
  } catch {
    return undefined;
  }
}

async function goneOrNot(pid: number, stays: boolean): Promise<void> {
  const deadline = Date.now() + (stays ? 200 : 10_000);
  while (sessionOf(pid) !== undefined && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(sessionOf(pid) !== undefined).toBe(stays);
}
