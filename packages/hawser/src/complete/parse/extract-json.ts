import { HawserError } from "../../base/index.js";
import { type CodeFence, findCodeFences, mayHaveCodeFence } from "./code-fences.js";
import { findLongestJson } from "./longest-json.js";
import { refuseNonString } from "./refuse-non-string.js";

/**
 * Extracts one JSON value from an answer. Tries in this order:
 * 1. the whole text, with any JSON value;
 * 2. a code fence whose content is JSON, closed or not. A fence with the info `json` comes before others;
 *    of several fences the last one wins, because a model that corrects itself ends with the right value;
 * 3. the longest object or array in the text. The longest, because a footnote `[1]` is JSON too.
 * Repairs nothing, and extracts no part of a text that is almost JSON: a trailing comma is an error. Throws
 * `structured_output`.
 *
 * @example
 * ```ts
 * import { extractJson } from "hawser";
 *
 * extractJson('Here it is: {"knots": 3}'); // { knots: 3 }
 * ```
 */
export function extractJson(text: string): unknown {
  refuseNonString("extractJson()", text);
  const bare = text.replace(/^\uFEFF/, "");
  const found =
    parse(bare) ??
    parseBestFence(mayHaveCodeFence(bare) ? findCodeFences(bare) : []) ??
    findLongestJson(bare);
  if (found !== undefined) return found.value;
  throw new HawserError("structured_output", "The text holds no JSON value.", {
    hint: "Ask for JSON only, or use `schema`, by which the CLI and hawser check the answer.",
    partialText: text,
  });
}

/**
 * Removes a code fence around the whole text, for example around the answer of a model that was asked for
 * JSON only. The end of the fence may be missing. Fences inside stay. A text with anything before or after
 * the fence is returned unchanged. Parses nothing; `extractJson()` does that.
 */
export function stripFence(text: string): string {
  refuseNonString("stripFence()", text);
  const [fence] = mayHaveCodeFence(text) ? findCodeFences(text, true) : [];
  if (fence === undefined) return text;
  const around = text.slice(0, fence.start) + text.slice(fence.end);
  if (around.trim() !== "") return text;
  return fence.isClosed ? fence.content : stripEndMark(fence.content);
}

/** Removes the end mark of a fence from the end of the last line, where models sometimes put it. */
function stripEndMark(text: string): string {
  const end = startOfRun(text, BLANKS, text.length);
  const sign = text[end - 1] ?? "";
  if (sign !== "`" && sign !== "~") return text;
  const start = startOfRun(text, sign, end);
  return end - start < 3 ? text : text.slice(0, start);
}

const BLANKS = " \t\r\n";

/** The start of the run of these characters before `end`. A regular expression would be quadratic. */
function startOfRun(text: string, characters: string, end: number): number {
  let at = end;
  while (at > 0 && characters.includes(text[at - 1] ?? "")) at -= 1;
  return at;
}

interface Found {
  readonly value: unknown;
}

function parse(text: string): Found | undefined {
  if (!mayBeJson(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Checks the first and last character, because thousands of JSON.parse() errors are slow. */
function mayBeJson(text: string): boolean {
  let start = 0;
  while (start < text.length && BLANKS.includes(text[start] ?? "")) start += 1;
  const last = text[startOfRun(text, BLANKS, text.length) - 1];
  const first = text[start];
  if (first === "{") return last === "}";
  if (first === "[") return last === "]";
  if (first === '"') return last === '"';
  return first !== undefined && /[-0-9tfn]/.test(first);
}

function parseBestFence(fences: readonly CodeFence[]): Found | undefined {
  const isMarked = ({ info }: CodeFence) => /^json\b/i.test(info);
  return (
    parseLastFence(fences.filter(isMarked)) ??
    parseLastFence(fences.filter((fence) => !isMarked(fence)))
  );
}

function parseLastFence(fences: readonly CodeFence[]): Found | undefined {
  for (const { content } of fences.toReversed()) {
    const found = parse(content);
    if (found !== undefined) return found;
  }
  return undefined;
}
