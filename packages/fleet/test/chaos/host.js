// One host of a chaos run: a worker that is started again whenever it has ended.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { clisOf, descendantsOf } from "./processes.js";

const PROGRAM = fileURLToPath(new URL("worker.js", import.meta.url));

/** A worker that was told to drain must be gone by then: `drainMs`, an interrupt, and the database's restarts. */
const DRAIN_LIMIT_MS = 60_000;

export class Host {
  name;
  #place;
  #env;
  #child;
  /** Why the process is about to end; undefined if nobody wants it to. */
  #expected;
  #isClosing = false;
  #isStopped = false;
  /** What went wrong with the process itself. */
  problems = [];
  /** When the processes of the host went on after a stop. */
  thaws = [];
  starts = 0;

  constructor(place, name, env) {
    this.#place = place;
    this.name = name;
    this.#env = env;
    this.#start();
  }

  get isStopped() {
    return this.#isStopped;
  }

  get isDraining() {
    return this.#expected === "drain";
  }

  /** @param {boolean} withGroup Whether its group is killed, too. */
  kill(withGroup) {
    this.#expected = "kill";
    send(withGroup ? -this.#child.pid : this.#child.pid, "SIGKILL");
  }

  /** Returns whether there was a CLI to kill. */
  killCli(draw) {
    const clis = clisOf(this.#child.pid);
    if (clis.length === 0) return false;
    send(clis[Math.floor(draw * clis.length)], "SIGKILL");
    return true;
  }

  /** @param {boolean} withClis Whether its CLIs and their tools are stopped, too. */
  async freeze(ms, withClis) {
    const child = this.#child;
    const pids = [child.pid, ...(withClis ? descendantsOf(child.pid) : [])];
    this.#isStopped = true;
    for (const pid of pids) send(pid, "SIGSTOP");
    await sleep(ms);
    this.thaws.push({ host: this.name, at: Date.now() });
    for (const pid of pids) send(pid, "SIGCONT");
    this.#isStopped = false;
  }

  drain() {
    this.#expected = "drain";
    const child = this.#child;
    send(child.pid, "SIGTERM");
    const timer = setTimeout(() => {
      this.problems.push(`${this.name} had not drained after ${DRAIN_LIMIT_MS} ms.`);
      send(child.pid, "SIGKILL");
    }, DRAIN_LIMIT_MS);
    child.once("exit", () => clearTimeout(timer));
  }

  /** Drains the worker for the last time. */
  async close() {
    this.#isClosing = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    if (this.#expected === undefined) this.drain();
    await ended;
  }

  #start() {
    const folder = this.#place.host(this.name);
    const temporary = `${folder}/tmp`;
    mkdirSync(temporary, { recursive: true });
    const log = openSync(this.#place.log(this.name), "a");
    this.#expected = undefined;
    this.starts += 1;
    this.#child = spawn(process.execPath, [PROGRAM, this.#place.folder, this.name], {
      env: { ...this.#env, HOME: folder, TMPDIR: temporary },
      stdio: ["pipe", log, log],
      detached: true, // A process group of its own.
    });
    closeSync(log);
    this.#child.stdin.on("error", () => {}); // The process was killed.
    this.#child.once("exit", (code, signal) => this.#ended(code, signal));
  }

  #ended(code, signal) {
    if (this.#expected === undefined) {
      this.problems.push(`${this.name} ended by itself: ${signal ?? code}.`);
    } else if (this.#expected === "drain" && code !== 0 && signal === null) {
      this.problems.push(`${this.name} drained and ended with ${code}.`);
    }
    if (!this.#isClosing) this.#start();
  }
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error; // It has ended meanwhile.
  }
}
