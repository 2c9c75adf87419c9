// Watches the progress of the CLIs by the notes that they write, and sends the signals that come from
// outside.
import { readFileSync, watch } from "node:fs";
import { basename } from "node:path";
import { STEPS, signalOf } from "./plan.js";

/** The input that a CLI has read at the steps that it reaches by reading. */
const HEARD = {
  version: ({ event, argv }) => event === "start" && argv.length === 1,
  start: ({ event, argv }) => event === "start" && argv.length > 1,
  initialize: ({ line }) => line?.includes('"subtype":"initialize"'),
  settings: ({ line }) => line?.includes('"subtype":"get_settings"'),
  prompt: ({ line }) => line?.includes('"type":"user"'),
  eof: ({ event }) => event === "eof",
  clear: ({ line }) => line?.includes('"type":"user"') && line.includes('"/clear"'),
  interrupt: ({ line }) => line?.includes('"subtype":"interrupt"'),
};

/** Whether the host must hear from the CLI before it is frozen, because the caller waits for that. */
function mustSaySo(cell) {
  return cell.entry === "query" && cell.step !== "version" && signalOf(cell) === "SIGSTOP";
}

export class Watch {
  #cells = new Map();
  #timers = new Set();
  #watcher;
  #folder;
  #now;

  /** Each CLI writes its notes into `folder`, in a file named after its cell. */
  constructor(folder, cells, now) {
    this.#folder = folder;
    this.#now = now;
    for (const cell of cells) {
      this.#cells.set(cell.file, { cell, read: 0, pid: undefined, reachedAt: undefined });
    }
    this.#watcher = watch(folder, (_event, name) => name !== null && this.#look(name));
  }

  /** The time at which the step was reached, if it was. */
  reachedAt(cell) {
    return this.#cells.get(cell.file)?.reachedAt;
  }

  /** The host has heard from the CLI that it has reached the step. */
  heard(cell, at) {
    const state = this.#cells.get(cell.file);
    if (state.reachedAt !== undefined) return;
    this.#look(cell.file);
    this.#reached(state, at);
  }

  close() {
    this.#watcher.close();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #look(name) {
    const state = this.#cells.get(basename(name));
    if (state === undefined || state.reachedAt !== undefined) return;
    const text = readFileSync(`${this.#folder}/${name}`, "utf8");
    const until = text.lastIndexOf("\n") + 1;
    const lines = text.slice(state.read, until).split("\n").slice(0, -1);
    state.read = until;
    for (const entry of lines.map((line) => JSON.parse(line))) this.#note(state, entry);
  }

  #note(state, entry) {
    const { step } = state.cell;
    const isSession = entry.event === "start" && entry.argv.length > 1;
    if (isSession || step === "version") state.pid ??= entry.pid;
    // Later processes of the cell have no fault.
    if (entry.pid !== state.pid || !STEPS[step].heard || mustSaySo(state.cell)) return;
    if (state.reachedAt === undefined && HEARD[step](entry)) this.#reached(state, this.#now());
  }

  #reached(state, at) {
    state.reachedAt = at;
    const signal = signalOf(state.cell);
    if (signal === undefined) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      try {
        process.kill(state.pid, signal);
      } catch {
        // The host has ended the process meanwhile.
      }
    }, state.cell.delayMs);
    this.#timers.add(timer);
  }
}
