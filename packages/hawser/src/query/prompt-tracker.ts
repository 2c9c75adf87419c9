import { isResult, isSystem, type Message } from "../wire/index.js";

/**
 * Whether a prompt that was sent still waits for its result. The CLI may answer several prompts in
 * one turn, so results cannot be counted: a turn takes at least one prompt, and what was sent beside
 * it was either taken along or begins the next turn at once.
 */
export class PromptTracker {
  readonly #onChange: () => void;
  #any = false;
  /** Prompts that no turn is known to have taken. */
  #waiting = 0;
  #inTurn = false;
  #hadTurn = false;
  #asked = false;
  /** How long the turn that may come next has to begin, while one may. */
  #patienceMs: number | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get awaitsResult(): boolean {
    return this.#any;
  }

  add(): void {
    this.#any = true;
    this.#waiting += 1;
    this.#expectTurn(undefined);
  }

  /** The prompt that was sent last never left. */
  removeLast(): void {
    this.#waiting = Math.max(0, this.#waiting - 1);
    if (this.#inTurn) return;
    if (this.#waiting === 0) this.#any = false;
    else if (this.#hadTurn) this.#expectTurn(PATIENCE_MS);
  }

  /**
   * Whether this side works on requests of the CLI. Between turns they may be hooks of the next
   * one, which is told of only when they are through.
   */
  setHostRequests(asked: boolean): void {
    this.#asked = asked;
    if (asked && !this.#any && this.#hadTurn && !this.#inTurn) {
      this.#any = true;
      this.#patienceMs = PATIENCE_MS;
    }
    this.#expectTurn(this.#patienceMs);
  }

  observe(message: Message): void {
    if (isSystem(message, "init")) this.#begin();
    // Its queue is empty; only a prompt that it has not even read could still begin a turn.
    if (isSystem(message, "session_state_changed") && message.state === "idle" && this.#any) {
      this.#expectTurn(UNREAD_MS);
    }
    if (!isResult(message)) return;
    if (!this.#inTurn) this.#begin();
    this.#inTurn = false;
    if (this.#waiting === 0) this.#any = false;
    else this.#expectTurn(PATIENCE_MS);
  }

  /** Nothing is waited for any more. */
  clear(): void {
    this.#expectTurn(undefined);
    this.#any = false;
    this.#waiting = 0;
  }

  #begin(): void {
    this.#expectTurn(undefined);
    this.#inTurn = true;
    this.#hadTurn = true;
    this.#waiting = Math.max(0, this.#waiting - 1);
  }

  #expectTurn(patienceMs: number | undefined): void {
    clearTimeout(this.#patience);
    this.#patienceMs = patienceMs;
    if (patienceMs === undefined || this.#asked) return;
    this.#patience = setTimeout(() => {
      this.clear();
      this.#onChange();
    }, patienceMs);
    this.#patience.unref();
  }
}

/** Seen: 2 to 700 ms. */
const PATIENCE_MS = 5_000;
const UNREAD_MS = 2_000;
