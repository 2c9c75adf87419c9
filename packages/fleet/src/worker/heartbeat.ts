import type { Logger } from "hawser";
import type { Claim, Claims } from "../runs/claims.js";
import { LeaseClock, renewalIntervalMs } from "../sessions/lease-clock.js";
import type { Segment } from "./segment/segment.js";

/**
 * Says four times within the lease that the segments of this host are alive. A segment whose claim is gone is killed
 * at once. If the database does not answer, each segment kills itself before its lease is over.
 */
export class Heartbeat {
  readonly #claims: Claims;
  readonly #segments: ReadonlySet<Segment>;
  readonly #logger: Logger | undefined;
  readonly #timer: NodeJS.Timeout;
  #retry: NodeJS.Timeout | undefined;
  #isBeating = false;
  #isStopped = false;

  constructor(
    claims: Claims,
    leaseMs: number,
    segments: ReadonlySet<Segment>,
    logger: Logger | undefined,
  ) {
    this.#claims = claims;
    this.#segments = segments;
    this.#logger = logger;
    this.#timer = setInterval(() => void this.#beat(), renewalIntervalMs(leaseMs));
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
  }

  /** One heartbeat at a time: a second one would wait for the same connection, and count from a later moment. */
  async #beat(): Promise<void> {
    if (this.#isBeating || this.#isStopped) return;
    this.#isBeating = true;
    await this.#touchAll();
    this.#isBeating = false;
  }

  async #touchAll(): Promise<void> {
    const segments = new Map<Claim, Segment>();
    for (const segment of this.#segments) segments.set(segment.claim, segment);
    if (segments.size === 0) return;
    const sentAt = LeaseClock.now();
    try {
      const held = await this.#claims.touch([...segments.keys()]);
      for (const [claim, segment] of segments) {
        if (held.has(claim)) segment.renewed(sentAt);
        else segment.lose();
      }
    } catch (error) {
      this.#logger?.warn("A heartbeat did not reach the database.", { error });
      this.#beatSoon();
    }
  }

  /** A database that is back is heard at once, because the leases may have little time left. */
  #beatSoon(): void {
    clearTimeout(this.#retry);
    if (this.#isStopped) return;
    this.#retry = setTimeout(() => void this.#beat(), RETRY_MS);
  }
}

const RETRY_MS = 250;
