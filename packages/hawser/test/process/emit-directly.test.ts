import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { emitDirectly } from "../../src/process/spawn/emit-directly.js";

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

/** A program that writes two megabytes of numbered lines. */
function start(): ChildProcess & { readonly stdout: NonNullable<ChildProcess["stdout"]> } {
  const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  emitDirectly(child.stdout);
  return child as ReturnType<typeof start>;
}

function numbersIn(chunks: readonly Buffer[]): number[] {
  return Buffer.concat(chunks).toString().trimEnd().split("\n").map(Number);
}

const ALL = Array.from({ length: LINES }, (_, at) => at);

describe("emitDirectly()", () => {
  it("emits everything in order, and then end and close", async () => {
    const { stdout } = start();
    const chunks: Buffer[] = [];
    const ends: string[] = [];
    stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    stdout.once("end", () => ends.push("end"));
    await once(stdout, "close");
    expect(numbersIn(chunks)).toEqual(ALL);
    expect(ends).toEqual(["end"]);
  });

  it("emits nothing while the stream is paused, holds the program back, and loses nothing", async () => {
    const child = start();
    const { stdout } = child;
    const chunks: Buffer[] = [];
    let paused = 0;
    stdout.on("data", (chunk: Buffer) => {
      expect(stdout.isPaused()).toBe(false);
      chunks.push(chunk);
      if (chunks.length % 10 !== 1) return;
      stdout.pause();
      paused += 1;
      setTimeout(() => stdout.resume(), 50);
    });
    await delay(300);
    await once(stdout, "close");
    expect(numbersIn(chunks)).toEqual(ALL);
    expect(paused).toBeGreaterThan(1);
  });

  it("keeps the output for a listener that comes later", async () => {
    const child = start();
    const { stdout } = child;
    await delay(300);
    // The program cannot have ended, because nobody reads.
    expect(child.exitCode).toBeNull();
    const chunks: Buffer[] = [];
    await new Promise<void>((resolve) => {
      stdout.once("data", (chunk: Buffer) => {
        chunks.push(chunk);
        stdout.pause();
        resolve();
      });
    });
    await delay(100);
    expect(chunks).toHaveLength(1);
    stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    stdout.resume();
    await once(stdout, "close");
    expect(numbersIn(chunks)).toEqual(ALL);
  });

  it("leaves a stream that is no socket as it is", () => {
    const stream = new PassThrough();
    const { push } = stream;
    emitDirectly(stream);
    expect(stream.push).toBe(push);
  });
});
