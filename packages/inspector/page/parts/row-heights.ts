/**
 * The heights of many rows. It finds the row at a place, and the place of a row, in the time of the logarithm of their
 * number (a Fenwick tree), although the heights change while rows are measured.
 */
export class RowHeights {
  #heights: Float64Array;
  #sums: Float64Array;
  readonly #isMeasured: Set<number> = new Set();

  constructor(estimates: readonly number[]) {
    this.#heights = Float64Array.from(estimates);
    this.#sums = sumsOf(this.#heights);
  }

  get total(): number {
    return this.offsetOf(this.#heights.length);
  }

  /** Takes rows with new estimates, and keeps what was measured of the rows that were there before. */
  setRows(estimates: readonly number[]): void {
    const next = Float64Array.from(estimates);
    for (const index of this.#isMeasured) {
      if (index < next.length) next[index] = this.#heights[index] ?? 0;
      else this.#isMeasured.delete(index);
    }
    this.#heights = next;
    this.#sums = sumsOf(next);
  }

  /** Sets the measured height of a row. Returns by how much it has changed. */
  measure(index: number, height: number): number {
    const change = height - (this.#heights[index] ?? height);
    this.#isMeasured.add(index);
    if (Math.abs(change) < 0.5) return 0;
    this.#heights[index] = height;
    for (let at = index + 1; at < this.#sums.length; at += at & -at) {
      this.#sums[at] = (this.#sums[at] ?? 0) + change;
    }
    return change;
  }

  /** The sum of the heights of all rows before this one. */
  offsetOf(index: number): number {
    let sum = 0;
    for (let at = index; at > 0; at -= at & -at) sum += this.#sums[at] ?? 0;
    return sum;
  }

  /** The row that covers a place. */
  indexAt(offset: number): number {
    let index = 0;
    let rest = offset;
    for (let step = topBit(this.#heights.length); step > 0; step >>= 1) {
      const sum = this.#sums[index + step];
      if (sum === undefined || sum > rest) continue;
      index += step;
      rest -= sum;
    }
    return Math.min(index, Math.max(0, this.#heights.length - 1));
  }
}

function sumsOf(heights: Float64Array): Float64Array {
  const sums = new Float64Array(heights.length + 1);
  for (const [index, height] of heights.entries()) {
    const at = index + 1;
    sums[at] = (sums[at] ?? 0) + height;
    const parent = at + (at & -at);
    if (parent < sums.length) sums[parent] = (sums[parent] ?? 0) + (sums[at] ?? 0);
  }
  return sums;
}

function topBit(value: number): number {
  return value === 0 ? 0 : 2 ** (31 - Math.clz32(value));
}
