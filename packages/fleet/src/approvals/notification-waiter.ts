import type { Channel, Database } from "../database/database.js";

/** Waits for notifications of one channel. A notification that comes between two waits ends the next one at once. */
export class NotificationWaiter {
  #wasNotified = false;
  #wake: (() => void) | undefined;
  #stop: () => void = () => {};

  /** Without `payload`, every notification of the channel counts. */
  static async open(
    database: Database,
    channel: Channel,
    payload?: string,
  ): Promise<NotificationWaiter> {
    const waiter = new NotificationWaiter();
    waiter.#stop = await database.listen(channel, (received) => {
      // Without a payload, notifications may have been missed.
      if (payload !== undefined && received !== undefined && received !== payload) return;
      waiter.#wasNotified = true;
      waiter.#wake?.();
    });
    return waiter;
  }

  /** Resolves at a notification, after the time, or when the signal aborts. It keeps the program alive. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.#wasNotified && !signal?.aborted && ms > 0) await this.#sleep(ms, signal);
    this.#wasNotified = false;
  }

  async #sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    let wake: () => void = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
    this.#wake = wake;
    await woken;
    clearTimeout(timer);
    signal?.removeEventListener("abort", wake);
    this.#wake = undefined;
  }

  /** Stops listening. */
  close(): void {
    this.#stop();
  }
}
