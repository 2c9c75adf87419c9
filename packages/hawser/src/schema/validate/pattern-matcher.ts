import { matchCost } from "./match-cost.js";

/** A regular expression of a schema. */
export interface Pattern {
  readonly source: string;
  readonly regex: RegExp;
}

/** Undefined if the source is not a regular expression, with or without the `u` flag. */
export function parsePattern(source: string): Pattern | undefined {
  for (const flags of ["u", ""]) {
    try {
      return { source, regex: new RegExp(source, flags) };
    } catch {
      // Try the next flags.
    }
  }
  return undefined;
}

/** A match that is too expensive for this thread. */
export interface PendingMatch {
  readonly pattern: Pattern;
  readonly text: string;
  /** The path of the text in the value. */
  readonly path: string;
}

/**
 * Matches texts of the model against patterns. A pattern may take exponential time for a text that
 * an attacker chose, and a running match cannot be stopped. So a match that could be slow becomes
 * pending: it counts as a match until `answer()` gives the outcome, which another thread has found.
 */
export class PatternMatcher {
  readonly #known = new Map<Pattern, Map<string, boolean>>();
  #pending: PendingMatch[] = [];
  #stepsLeft = MAX_STEPS_IN_THIS_THREAD;

  test(pattern: Pattern, text: string, path: string): boolean {
    const known = this.#known.get(pattern)?.get(text);
    if (known !== undefined) return known;
    const cost = matchCost(pattern.source, text.length);
    if (cost <= this.#stepsLeft) {
      this.#stepsLeft -= cost;
      return pattern.regex.test(text);
    }
    this.#pending.push({ pattern, text, path });
    return true;
  }

  /** The matches that became pending since the last call. */
  takePending(): readonly PendingMatch[] {
    const pending = this.#pending;
    this.#pending = [];
    this.#stepsLeft = MAX_STEPS_IN_THIS_THREAD;
    return pending;
  }

  answer({ pattern, text }: PendingMatch, isMatch: boolean): void {
    const known = this.#known.get(pattern) ?? new Map<string, boolean>();
    this.#known.set(pattern, known.set(text, isMatch));
  }
}

/**
 * The budget for all matches of one pass over a value: a fraction of a second in the worst case.
 */
const MAX_STEPS_IN_THIS_THREAD = 20_000_000;
