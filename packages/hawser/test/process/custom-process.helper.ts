import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { SpawnedProcess, SpawnRequest } from "../../src/options/index.js";

/** A process that is only an object: it hears everything, does nothing, and has no ref() or pid. */
export class Puppet implements SpawnedProcess {
  readonly stdin: PassThrough = new PassThrough();
  readonly stdout: PassThrough = new PassThrough();
  readonly killed = false;
  /** What was done to it, in order. */
  readonly heard: string[] = [];
  exitCode: number | null = null;
  readonly #events = new EventEmitter();

  readonly spawn = (request: SpawnRequest): SpawnedProcess => {
    this.heard.push("spawn");
    request.signal.addEventListener("abort", () => this.heard.push("abort"));
    this.stdin.once("finish", () => this.heard.push("end of input"));
    this.stdin.resume();
    return this;
  };

  kill(signal: NodeJS.Signals): boolean {
    this.heard.push(signal);
    return true;
  }

  say(message: object): void {
    this.stdout.write(`${JSON.stringify(message)}\n`);
  }

  fail(message: string): void {
    this.#events.emit("error", new Error(message));
  }

  exit(code: number | null, signal: NodeJS.Signals | null = null): void {
    this.#events.emit("exit", code, signal);
  }

  on(name: "exit" | "error", listener: Parameters<EventEmitter["on"]>[1]): void {
    this.#events.on(name, listener);
  }

  once(name: "exit" | "error", listener: Parameters<EventEmitter["on"]>[1]): void {
    this.#events.once(name, listener);
  }

  off(name: "exit" | "error", listener: Parameters<EventEmitter["on"]>[1]): void {
    this.#events.off(name, listener);
  }
}
