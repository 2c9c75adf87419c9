import { HawserError } from "../../base/index.js";
import { type CodeFence, findCodeFences, mayHaveCodeFence } from "./code-fences.js";
import { findLongestJson } from "./longest-json.js";
import { notStringError } from "./refuse-non-string.js";

/**
 * Takes one JSON value out of an answer. In this order:
 * 1. the whole text, whatever the value;
 * 2. a code fence whose content is JSON, closed or not: one marked `json` before any other, and of
 *    several the last, since a model that thinks aloud or corrects itself ends with what it means;
 * 3. the longest object or array that stands in the text: a footnote `[1]` is JSON too.
 * Nothing is repaired, and no part taken of what is almost JSON: a trailing comma is an error. Throws
 * `structured_output`.
 */
export function extractJson(text: string): unknown {
  if (typeof text !== "string") throw notStringError("extractJson()");
  const bare = text.replace(/^\uFEFF/, "");
  const found =
    parse(bare) ??
    bestOf(mayHaveCodeFence(bare) ? findCodeFences(bare) : []) ??
    findLongestJson(bare);
  if (found !== undefined) return found.value;
  throw new HawserError("structured_output", "The text holds no JSON value.", {
    hint: "Ask for JSON only, or use `schema`, by which the CLI and hawser check the answer.",
    partialText: text,
  });
}

/**
 * The text without the one code fence that is around all of it, for example the answer of a model that
 * was asked for JSON alone. The end of the fence may be missing. Fences inside stay, and so does a text
 * in which something stands before or after the fence. Nothing is parsed: `extractJson()` does that.
 */
export function stripFence(text: string): string {
  if (typeof text !== "string") throw notStringError("stripFence()");
  const [fence] = mayHaveCodeFence(text) ? findCodeFences(text, true) : [];
  if (fence === undefined) return text;
  const around = text.slice(0, fence.start) + text.slice(fence.end);
  if (around.trim() !== "") return text;
  return fence.isClosed ? fence.content : withoutEndMark(fence.content);
}

/** Without an end of the fence at the end of the last line, where models put it at times. */
function withoutEndMark(text: string): string {
  const end = startOfRun(text, BLANKS, text.length);
  const sign = text[end - 1] ?? "";
  if (sign !== "`" && sign !== "~") return text;
  const start = startOfRun(text, sign, end);
  return end - start < 3 ? text : text.slice(0, start);
}

const BLANKS = " \t\r\n";

/** Where the run of these signs before `end` begins. An expression would try each start anew. */
function startOfRun(text: string, signs: string, end: number): number {
  let at = end;
  while (at > 0 && signs.includes(text[at - 1] ?? "")) at -= 1;
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

function bestOf(fences: readonly CodeFence[]): Found | undefined {
  const isMarked = ({ info }: CodeFence) => /^json\b/i.test(info);
  return lastOf(fences.filter(isMarked)) ?? lastOf(fences.filter((fence) => !isMarked(fence)));
}

function lastOf(fences: readonly CodeFence[]): Found | undefined {
  for (const { content } of fences.toReversed()) {
    const found = parse(content);
    if (found !== undefined) return found;
  }
  return undefined;
}
