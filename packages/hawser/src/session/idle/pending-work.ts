import { isResult, isSystem, type Message } from "../../wire/index.js";

/**
 * Whether the CLI has anything left to do: a turn, background work, or the turn that it begins by
 * itself when background work has ended. Its own word `idle` does not count background shells.
 */
export class PendingWork {
  readonly #onChange: () => void;
  readonly #tasks = new Set<string>();
  #hasStates = false;
  #hasTaskList = false;
  #running = false;
  #inTurn = false;
  #owesTurn = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isQuiet(): boolean {
    return !this.#running && !this.#owesTurn && this.#tasks.size === 0;
  }

  /** Whether something goes on, or is about to, that no prompt waits for. */
  get inBackground(): boolean {
    return this.#owesTurn || this.#tasks.size > 0;
  }

  /** Whether a turn has begun and has no result, be it one that the CLI began by itself. */
  get inTurn(): boolean {
    return this.#inTurn;
  }

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
      // One that is not as it should be is work all the same.
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
    this.#onChange();
  }

  /** The process is gone, and all its work with it. */
  clear(): void {
    clearTimeout(this.#patience);
    this.#tasks.clear();
    this.#hasStates = false;
    this.#hasTaskList = false;
    this.#owesTurn = false;
    this.#running = false;
    this.#inTurn = false;
    this.#onChange();
  }

  #run(running: boolean): void {
    this.#running = running;
    if (running) this.#owe(false);
  }

  /** What ended is told to the model in a turn of its own, but not every end is worth one. */
  #expectTurn(): void {
    this.#owe(true);
    this.#patience = setTimeout(() => {
      this.#owesTurn = false;
      this.#onChange();
    }, PATIENCE_MS);
    this.#patience.unref();
  }

  #owe(owes: boolean): void {
    clearTimeout(this.#patience);
    this.#owesTurn = owes;
  }
}

/** Seen: 1 to 50 ms. */
const PATIENCE_MS = 5_000;

function isOver(patch: unknown): boolean {
  const status: unknown = (patch as { readonly status?: unknown } | undefined)?.status;
  return typeof status === "string" && !["running", "pending", "in_progress"].includes(status);
}
