import type { WorkListener } from "../session/index.js";
import { isResult, isSystem, type Message } from "../wire/index.js";

/**
 * Whether a prompt that was sent still waits for its result. The CLI may answer several prompts in one
 * turn, so results cannot be counted: a turn takes at least one prompt, and the other prompts that were
 * sent were either taken along or begin the next turn at once.
 */
export class PromptTracker {
  readonly #listener: WorkListener;
  #awaitsResult = false;
  /** Prompts that no turn is known to have taken. */
  #untaken = 0;
  #inTurn = false;
  #hadTurn = false;
  #hasHostRequests = false;
  /** How long the turn that may come next has to begin; undefined if none is expected. */
  #patienceMs: number | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(listener: WorkListener) {
    this.#listener = listener;
  }

  get awaitsResult(): boolean {
    return this.#awaitsResult;
  }

  /** A prompt is about to be sent. */
  add(): void {
    this.#awaitsResult = true;
    this.#untaken += 1;
    this.#expectTurn(undefined);
  }

  /** The prompt that was added last could not be written. */
  removeLast(): void {
    this.#untaken = Math.max(0, this.#untaken - 1);
    if (this.#inTurn) return;
    if (this.#untaken === 0) this.#awaitsResult = false;
    else if (this.#hadTurn) this.#expectTurn(PATIENCE_MS);
  }

  /**
   * Whether this side works on requests of the CLI. Between turns these may be hooks of the next turn,
   * which the CLI announces only when the hooks have answered.
   */
  setHostRequests(pending: number): void {
    this.#hasHostRequests = pending > 0;
    const isBetweenTurns = this.#hadTurn && !this.#inTurn;
    if (this.#hasHostRequests && !this.#awaitsResult && isBetweenTurns) {
      this.#awaitsResult = true;
      this.#patienceMs = PATIENCE_MS;
    }
    this.#expectTurn(this.#patienceMs);
  }

  /** To be called with every message. */
  observe(message: Message): void {
    if (isSystem(message, "init")) this.#beginTurn();
    // The CLI's queue is empty; only a prompt that it has not read yet could still begin a turn.
    if (isSystem(message, "session_state_changed") && message.state === "idle") {
      if (this.#awaitsResult) this.#expectTurn(UNREAD_MS);
    }
    if (!isResult(message)) return;
    if (!this.#inTurn) this.#beginTurn();
    this.#inTurn = false;
    if (this.#untaken === 0) this.#awaitsResult = false;
    else this.#expectTurn(PATIENCE_MS);
  }

  /** No prompt waits for a result any more. */
  clear(): void {
    this.#expectTurn(undefined);
    this.#awaitsResult = false;
    this.#untaken = 0;
  }

  #beginTurn(): void {
    this.#expectTurn(undefined);
    this.#inTurn = true;
    this.#hadTurn = true;
    this.#untaken = Math.max(0, this.#untaken - 1);
  }

  #expectTurn(patienceMs: number | undefined): void {
    clearTimeout(this.#patience);
    this.#patienceMs = patienceMs;
    if (patienceMs === undefined || this.#hasHostRequests) return;
    this.#patience = setTimeout(() => {
      this.clear();
      this.#listener.onWorkChanged();
    }, patienceMs);
    this.#patience.unref();
  }
}

/** How long to wait for the next turn (observed: 2 to 700 ms). */
const PATIENCE_MS = 5_000;
const UNREAD_MS = 2_000;
