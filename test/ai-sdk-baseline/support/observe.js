/** What a program saw instead of what it is meant to show. */
export class Observation extends Error {}

/**
 * Ends the program if a condition does not hold.
 * @param {unknown} condition
 * @param {() => string} saw What was observed instead, as a clause for the table.
 * @returns {asserts condition}
 */
export function observe(condition, saw) {
  if (!condition) throw new Observation(saw());
}

/** A list of warnings of the AI SDK as words. */
export function warned(warnings = []) {
  if (warnings.length === 0) return "no warning";
  const about = warnings.map(({ feature, message }) =>
    feature === undefined ? quoted(message) : `\`${feature}\``,
  );
  return `a warning: ${[...new Set(about)].join(", ")}`;
}

/** A text in quotes, on one line and not too long. */
export function quoted(text) {
  const line = String(text).replace(/\s+/g, " ").trim();
  return `"${line.length > 90 ? `${line.slice(0, 90)}…` : line}"`;
}
