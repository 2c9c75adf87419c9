import { HawserError } from "./error.js";
import { hintOf, type Problem } from "./kind.js";
import { createMask } from "./mask.js";

/**
 * Throws `invalid_options` with all problems, if there are any. The first one gives the sentence.
 */
export function throwIfInvalid(problems: Iterable<Problem>): void {
  const all = [...problems];
  const [first] = all;
  if (first === undefined) return;
  const text = `${first.path} ${first.message}${andMore(all.length - 1)}`;
  throw new HawserError(
    "invalid_options",
    text.endsWith("?") ? text : `${text}.`,
    {
      hint: hintOf(first),
      issues: all.map(({ path, message }) => ({ path, message })),
    },
    createMask({}),
  );
}

function andMore(count: number): string {
  if (count === 0) return "";
  return ` (and ${count === 1 ? "1 more problem" : `${count} more problems`}: see \`issues\`)`;
}
