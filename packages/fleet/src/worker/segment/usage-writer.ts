import type { Message } from "hawser";
import type { SegmentUsage } from "../../runs/claims.js";
import type { SegmentContext } from "./segment-context.js";
import { UsageMeter } from "./usage-meter.js";

/** Writes what a segment has used so far, as soon as it changes: it is booked if this host dies. */
export class UsageWriter {
  readonly #context: SegmentContext;
  readonly #meter = new UsageMeter();
  #writing: Promise<void> | undefined;
  #isOutdated = false;

  constructor(context: SegmentContext) {
    this.#context = context;
  }

  get usage(): SegmentUsage {
    return this.#meter.usage;
  }

  /**
   * Writes that the CLI is about to be asked, before it is. From then on a request may be under way of which no message
   * has come yet, so that a segment without this mark has cost nothing.
   */
  async begin(): Promise<void> {
    const { lease, claim, settings } = this.#context;
    await lease.whileHeld(() => settings.parts.claims.meter(claim, this.usage));
  }

  add(message: Message): void {
    if (this.#meter.add(message)) this.#write();
  }

  /** Resolves when the newest usage is written, or cannot be. */
  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  /** While one write runs, at most one more waits. */
  #write(): void {
    this.#isOutdated = this.#writing !== undefined;
    if (this.#isOutdated) return;
    const { lease, claim, settings, fault } = this.#context;
    this.#writing = lease
      .whileHeld(() => settings.parts.claims.meter(claim, this.usage))
      .catch((error: unknown) => fault("The usage of a run could not be written.", error))
      .then(() => {
        this.#writing = undefined;
        if (this.#isOutdated && !lease.lost.aborted) this.#write();
      });
  }
}
