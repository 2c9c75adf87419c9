import { isResult, isSystem, type Message } from "../../wire/index.js";

/** Listens to the begin and the end of work. The cores of sessions and queries implement it. */
export interface WorkListener {
  onWorkChanged(): void;
}

/**
 * What is left to do. On the side of the CLI: a turn, background work, or the turn that the CLI begins
 * by itself when background work has ended; its state `idle` does not count background shells. On this
 * side: requests of the CLI that wait for an answer of the host.
 */
export class PendingWork {
  /** How many requests of the CLI this side works on. */
  hostRequests = 0;
  readonly #listener: WorkListener;
  readonly #tasks = new Set<string>();
  #hasStates = false;
  #hasTaskList = false;
  #running = false;
  #inTurn = false;
  #owesTurn = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(listener: WorkListener) {
    this.#listener = listener;
  }

  /** Whether the CLI has nothing left to do. Requests of the CLI to this side do not count. */
  get isQuiet(): boolean {
    return !this.#running && !this.#owesTurn && this.#tasks.size === 0;
  }

  /** Whether background work goes on, or a turn is about to begin that no prompt waits for. */
  get inBackground(): boolean {
    return this.#owesTurn || this.#tasks.size > 0;
  }

  /** Whether a turn has begun and has no result, also a turn that the CLI began by itself. */
  get inTurn(): boolean {
    return this.#inTurn;
  }

  /** To be called with every message. */
  observe(message: Message): void {
    if (isSystem(message, "init")) this.#inTurn = true;
    if (isResult(message)) this.#inTurn = false;
    if (isSystem(message, "session_state_changed")) {
      this.#hasStates = true;
      this.#run(message.state !== "idle");
    } else if (isSystem(message, "init") && !this.#hasStates) this.#run(true);
    else if (isResult(message) && !this.#hasStates) this.#run(false);
    else if (isSystem(message, "background_tasks_changed")) {
      this.#hasTaskList = true;
      this.#tasks.clear();
      const tasks: unknown = message.tasks;
      // Count malformed entries too: treating a session as idle too early is worse than too late.
      for (const task of Array.isArray(tasks) ? tasks : []) this.#tasks.add(task?.task_id);
    } else if (isSystem(message, "task_started")) {
      if (!this.#hasTaskList) this.#tasks.add(message.task_id);
    } else if (isSystem(message, "task_notification")) {
      this.#tasks.delete(message.task_id);
      if (!this.#running) this.#expectTurn();
    } else if (isSystem(message, "task_updated") && isOver(message.patch)) {
      if (!this.#hasTaskList) this.#tasks.delete(message.task_id);
      if (!this.#running) this.#expectTurn();
    } else return;
    this.#listener.onWorkChanged();
  }

  /** The process is gone, and all its work with it. */
  clear(): void {
    this.hostRequests = 0;
    clearTimeout(this.#patience);
    this.#tasks.clear();
    this.#hasStates = false;
    this.#hasTaskList = false;
    this.#owesTurn = false;
    this.#running = false;
    this.#inTurn = false;
    this.#listener.onWorkChanged();
  }

  #run(running: boolean): void {
    this.#running = running;
    if (running) this.#owe(false);
  }

  /** The CLI reports some ended work, but not all of it, to the model in a turn that it begins itself. */
  #expectTurn(): void {
    this.#owe(true);
    this.#patience = setTimeout(() => {
      this.#owesTurn = false;
      this.#listener.onWorkChanged();
    }, PATIENCE_MS);
    this.#patience.unref();
  }

  #owe(owes: boolean): void {
    clearTimeout(this.#patience);
    this.#owesTurn = owes;
  }
}

/** How long to wait for the turn that follows ended background work (observed: 1 to 50 ms). */
const PATIENCE_MS = 5_000;

function isOver(patch: unknown): boolean {
  const status: unknown = (patch as { readonly status?: unknown } | undefined)?.status;
  return typeof status === "string" && !["running", "pending", "in_progress"].includes(status);
}
