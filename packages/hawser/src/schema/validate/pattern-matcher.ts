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
      // The other mode, or none.
    }
  }
  return undefined;
}

/** One match that is too expensive to be made in this thread. */
export interface PendingMatch {
  readonly pattern: Pattern;
  readonly text: string;
  /** Where in the value the text stands. */
  readonly path: string;
}

/**
 * Answers whether a text of the model's matches a pattern. A pattern may take exponential time for a
 * text that an attacker chose, and a running match cannot be stopped: so a match that could be slow is
 * noted as a question, to be answered by another thread, and taken for a match until then.
 */
export class PatternMatcher {
  readonly #known = new Map<Pattern, Map<string, boolean>>();
  #questions: PendingMatch[] = [];
  #stepsLeft = MOST_STEPS_HERE;

  test(pattern: Pattern, text: string, path: string): boolean {
    const known = this.#known.get(pattern)?.get(text);
    if (known !== undefined) return known;
    const cost = matchCost(pattern.source, text.length);
    if (cost <= this.#stepsLeft) {
      this.#stepsLeft -= cost;
      return pattern.regex.test(text);
    }
    this.#questions.push({ pattern, text, path });
    return true;
  }

  /** The questions since the last call. */
  takePending(): readonly PendingMatch[] {
    const questions = this.#questions;
    this.#questions = [];
    this.#stepsLeft = MOST_STEPS_HERE;
    return questions;
  }

  answer({ pattern, text }: PendingMatch, isMatch: boolean): void {
    const known = this.#known.get(pattern) ?? new Map<string, boolean>();
    this.#known.set(pattern, known.set(text, isMatch));
  }
}

/** For all matches of one look at a value: a fraction of a second at worst. */
const MOST_STEPS_HERE = 20_000_000;
