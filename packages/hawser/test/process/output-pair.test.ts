import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { type OutputPair, openOutputPair } from "../../src/process/spawn/output-pair.js";

const run = promisify(execFile);
const CLUSTER_HOST = fileURLToPath(new URL("cluster-host.js", import.meta.url));

const LINES = 20_000;
const PROGRAM = `
  let at = 0;
  const write = () => {
    while (at < ${LINES}) if (!process.stdout.write(String(at++).padEnd(99) + "\\n")) {
      process.stdout.once("drain", write);
      return;
    }
  };
  write();`;

interface Started {
  readonly child: ChildProcess;
  readonly reader: OutputPair["reader"];
}

/** A program that writes two megabytes of numbered lines. */
async function start(program = PROGRAM): Promise<Started> {
  const pair = await openOutputPair();
  if (pair === undefined) throw new Error("There is no pair.");
  const { reader, writer } = pair;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", writer, "ignore"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
    reader.destroy();
  });
  writer.destroy();
  return { child, reader };
}

function numbersIn(chunks: readonly Buffer[]): number[] {
  return Buffer.concat(chunks).toString().trimEnd().split("\n").map(Number);
}

const ALL = Array.from({ length: LINES }, (_, at) => at);

describe("openOutputPair()", () => {
  it("emits everything in order, and then end and close", async () => {
    const { reader } = await start();
    const chunks: Buffer[] = [];
    const ends: string[] = [];
    reader.on("data", (chunk: Buffer) => chunks.push(chunk));
    reader.once("end", () => ends.push("end"));
    await once(reader, "close");
    expect(numbersIn(chunks)).toEqual(ALL);
    expect(ends).toEqual(["end"]);
  });

  it("gives each chunk either to takeBytes or to the listeners, in order", async () => {
    const { reader } = await start();
    const chunks: Buffer[] = [];
    const ways: string[] = [];
    const note = (way: string, chunk: Buffer) => {
      ways.push(way);
      chunks.push(chunk);
      reader.takeBytes = ways.length % 2 === 0 ? take : undefined;
    };
    // The buffer is overwritten when this has returned.
    const take = (buffer: Buffer, length: number) =>
      note("taken", Buffer.from(buffer.subarray(0, length)));
    reader.takeBytes = take;
    reader.on("data", (chunk: Buffer) => note("emitted", chunk));
    await once(reader, "close");
    expect(numbersIn(chunks)).toEqual(ALL);
    expect(ways.slice(0, 4)).toEqual(["taken", "emitted", "taken", "emitted"]);
  });

  it("emits nothing while the stream is paused, holds the program back, and loses nothing", async () => {
    const { reader } = await start();
    const chunks: Buffer[] = [];
    let paused = 0;
    reader.on("data", (chunk: Buffer) => {
      expect(reader.isPaused()).toBe(false);
      chunks.push(chunk);
      if (chunks.length % 10 !== 1) return;
      reader.pause();
      paused += 1;
      setTimeout(() => reader.resume(), 50);
    });
    await once(reader, "close");
    expect(numbersIn(chunks)).toEqual(ALL);
    expect(paused).toBeGreaterThan(1);
  });

  it("keeps the output for a listener that comes later", async () => {
    const { child, reader } = await start();
    await delay(300);
    // The program cannot have ended, because nobody reads.
    expect(child.exitCode).toBeNull();
    const chunks: Buffer[] = [];
    await new Promise<void>((resolve) => {
      reader.once("data", (chunk: Buffer) => {
        chunks.push(chunk);
        reader.pause();
        resolve();
      });
    });
    await delay(100);
    expect(chunks).toHaveLength(1);
    reader.on("data", (chunk: Buffer) => chunks.push(chunk));
    reader.resume();
    await once(reader, "close");
    expect(numbersIn(chunks)).toEqual(ALL);
  });

  it("gives many programs at once a pair each", async () => {
    const programs = Array.from({ length: 8 }, (_, at) => start(`console.log("I am ${at}.")`));
    const texts = programs.map(async (started) => {
      const { reader } = await started;
      const chunks: Buffer[] = [];
      reader.on("data", (chunk: Buffer) => chunks.push(chunk));
      await once(reader, "close");
      return Buffer.concat(chunks).toString();
    });
    expect(await Promise.all(texts)).toEqual(programs.map((_, at) => `I am ${at}.\n`));
  });

  it("leaves no file behind", async () => {
    const root = inTemporaryRoot("short");
    const { reader } = await start();
    expect(readdirSync(root)).toEqual([]);
    reader.destroy();
  });

  it("gives no pair, and leaves no file behind, where the path is too long for a socket", async () => {
    const root = inTemporaryRoot("x".repeat(100));
    expect(await openOutputPair()).toBeUndefined();
    expect(readdirSync(root)).toEqual([]);
  });

  it("gives no pair, and leaves no file behind, in a program whose sockets never connect", async () => {
    const root = inTemporaryRoot("silent");
    const { connect } = Socket.prototype;
    onTestFinished(() => void Object.assign(Socket.prototype, { connect }));
    Object.assign(Socket.prototype, { connect: (): void => {} });
    expect(await openOutputPair()).toBeUndefined();
    expect(readdirSync(root)).toEqual([]);
  });

  it("gives no pair in a program whose sockets throw, and no uncaught error when its server fails, too", async () => {
    const root = inTemporaryRoot("throwing");
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    const { connect } = Socket.prototype;
    const { listen } = Server.prototype;
    process.on("uncaughtException", note);
    onTestFinished(() => {
      process.off("uncaughtException", note);
      Object.assign(Socket.prototype, { connect });
      Object.assign(Server.prototype, { listen });
    });
    Object.assign(Socket.prototype, {
      connect: () => {
        throw new Error("denied");
      },
    });
    Object.assign(Server.prototype, {
      listen(this: Server) {
        process.nextTick(() => this.emit("error", new Error("denied")));
        return this;
      },
    });
    expect(await openOutputPair()).toBeUndefined();
    await nextTurn();
    expect(uncaught).toEqual([]);
    expect(readdirSync(root)).toEqual([]);
  });

  it("gives no pair where TMPDIR is no folder", async () => {
    setTemporaryRoot(process.execPath);
    expect(await openOutputPair()).toBeUndefined();
  });

  it("makes its pairs in a worker of node:cluster by itself", async () => {
    const root = inTemporaryRoot("cluster");
    const { stdout } = await run(process.execPath, [CLUSTER_HOST], {
      env: { ...process.env, TMPDIR: root },
    });
    expect(stdout).toBe("completed, completed, completed: exit 0\n");
    expect(readdirSync(root)).toEqual([]);
  });
});

/** Makes a folder the place for temporary files during this test. */
function inTemporaryRoot(name: string): string {
  const root = mkdtempSync(join(tmpdir(), `${name}-`));
  onTestFinished(() => rmSync(root, { recursive: true }));
  setTemporaryRoot(root);
  return root;
}

function setTemporaryRoot(path: string): void {
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = path;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
}
