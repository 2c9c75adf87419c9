/** A moment by two clocks. The monotonic clock stops while a machine sleeps, and the other one can be set. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentNow(): Moment {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}
