/**
 * Decides whether this tab reads the stream of the server. A browser opens at most six connections to one server, and
 * a stream keeps one: with six streams, no tab could send an answer. So a tab that is shown reads, and of all tabs that
 * are hidden one reads, whose title tells of new questions.
 */
export class StreamTurn {
  readonly #onLeave: () => void;
  #isOn = true;
  #wake: () => void = () => {};
  #giveBack: () => void = () => {};

  /** `onLeave` is called when this tab has to leave the stream. */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
    // A page that came over plain HTTP from another machine has no locks. There, each tab reads.
    if (!("locks" in navigator)) return;
    document.addEventListener("visibilitychange", () => this.#onVisibility());
    this.#onVisibility();
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Resolves when this tab may read. */
  async wait(): Promise<void> {
    while (!this.#isOn) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #onVisibility(): void {
    this.#giveBack();
    if (!document.hidden) {
      this.#set(true);
      return;
    }
    const asked = new AbortController();
    // A person who looks at another tab for a moment does not make this one connect anew.
    const timer = setTimeout(() => this.#set(false), GRACE_MS);
    this.#giveBack = () => {
      clearTimeout(timer);
      asked.abort();
    };
    const hold = () =>
      new Promise<void>((resolve) => {
        clearTimeout(timer);
        this.#giveBack = resolve;
        this.#set(true);
      });
    navigator.locks.request(LOCK, { signal: asked.signal }, hold).catch(() => {
      // The tab is shown again before it was its turn.
    });
  }

  #set(isOn: boolean): void {
    const wasOn = this.#isOn;
    this.#isOn = isOn;
    if (isOn) this.#wake();
    else if (wasOn) this.#onLeave();
  }
}

const LOCK = "hawser-hidden-stream";
const GRACE_MS = 5000;
