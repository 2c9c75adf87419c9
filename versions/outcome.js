import { AssertionError } from "node:assert";
import { isHawserError } from "hawser";

/**
 * What a check found on one version.
 * - `holds`: as on the pinned version
 * - `differs`: the promise is kept, in another way; `how` says which
 * - `refused`: hawser throws a typed error before anything happens; `code` is its code
 * - `fails`: the promise is not kept; `how` says what was seen
 * @typedef {{ outcome: "holds" | "differs" | "refused" | "fails", how?: string, code?: string }} Cell
 */

/**
 * A check. `run` returns nothing if the behaviour holds, a sentence if it holds differently, and throws if it
 * does not hold.
 * @typedef {object} Check
 * @property {string} id a short name for `--check`
 * @property {string} group
 * @property {string} title what holds, for the page
 * @property {boolean} [isGuard] whether a failure would let something through that was to be refused
 * @property {(place: import("./place.js").Place) => Promise<string | undefined | void>} run
 */

/** The codes by which hawser says that this CLI cannot do it. */
const REFUSALS = /** @type {const} */ (["unsupported_by_cli", "not_supported"]);

/**
 * @param {Promise<string | undefined | void>} run
 * @returns {Promise<Cell>}
 */
export async function outcomeOf(run) {
  try {
    const how = await run;
    return typeof how === "string" ? { outcome: "differs", how } : { outcome: "holds" };
  } catch (error) {
    const code = REFUSALS.find((each) => isHawserError(error, each));
    if (code !== undefined) return { outcome: "refused", code, how: oneLine(error.message) };
    return { outcome: "fails", how: described(error) };
  }
}

/** @param {unknown} error */
function described(error) {
  if (isHawserError(error)) return oneLine(`${error.code}: ${error.message}`);
  if (!(error instanceof AssertionError)) return oneLine(String(error));
  // After the first line Node shows the values as a picture of several lines.
  if (!error.generatedMessage) return oneLine(error.message.split("\n", 1)[0] ?? "");
  const [actual, expected] = [error.actual, error.expected].map((value) => JSON.stringify(value));
  return oneLine(`${actual} instead of ${expected}`);
}

/** @param {string} text */
function oneLine(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} …` : line;
}

const LONGEST = 300;
