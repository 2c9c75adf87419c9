import { HawserError } from "./error.js";
import type { Problem } from "./kind.js";
import { createMask } from "./mask.js";

/**
 * Throws `invalid_options` with all problems, if there are any. The first one gives the sentence.
 */
export function throwIfInvalid(problems: Iterable<Problem>): void {
  const all = [...problems];
  const [first] = all;
  if (first === undefined) return;
  const more = all.length === 1 ? "" : ` (and ${all.length - 1} more)`;
  const text = `${first.path} ${first.message}${more}`;
  throw new HawserError(
    "invalid_options",
    text.endsWith("?") ? text : `${text}.`,
    {
      hint: first.hint ?? `Correct \`${first.path}\`.`,
      issues: all.map(({ path, message }) => ({ path, message })),
    },
    createMask({}),
  );
}
