/** A code block of Markdown. */
export interface CodeFence {
  /** What stands behind the opening: the language, mostly. */
  readonly info: string;
  readonly content: string;
  /** Where it begins and ends in the text, with its marks. */
  readonly start: number;
  readonly end: number;
  /** Whether its end stands on a line of its own, as it should. */
  readonly isClosed: boolean;
}

/** Cheap, and spares the reading by lines. */
export function mayHaveCodeFence(text: string): boolean {
  return text.includes("```") || text.includes("~~~");
}

/**
 * The code fences of a text; the last may lack its end. A fence begins a line, so that three
 * backticks within a JSON string, which has no line breaks, are none. Where fences `nest`, one with a
 * language opens another within; else the first end is the end, as in Markdown.
 */
export function findCodeFences(text: string, nest = false): readonly CodeFence[] {
  const fences: CodeFence[] = [];
  let open: Open | undefined;
  for (const { line, start, next } of linesOf(text)) {
    const mark = FENCE.exec(line);
    if (mark === null) continue;
    const [, sign = "", info = ""] = mark;
    if (open === undefined) {
      open = { sign, info: info.trim(), start, from: next, depth: 1 };
    } else if (sign.startsWith(open.sign)) {
      if (info.trim() === "") open.depth--;
      else if (nest) open.depth++;
      if (open.depth === 0) {
        fences.push({ ...made(text, open, start, next), isClosed: true });
        open = undefined;
      }
    }
  }
  if (open !== undefined) {
    fences.push({ ...made(text, open, text.length, text.length), isClosed: false });
  }
  return fences;
}

interface Open {
  readonly sign: string;
  readonly info: string;
  readonly start: number;
  readonly from: number;
  depth: number;
}

/** The info of a fence of backticks has none: then it is code within a line. */
const FENCE = /^\uFEFF?[ \t]*(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

function made(text: string, open: Open, end: number, next: number): Omit<CodeFence, "isClosed"> {
  const { info, start, from } = open;
  let last = Math.max(from, end);
  if (last > from && text[last - 1] === "\n") last--;
  if (last > from && text[last - 1] === "\r") last--;
  return { info, content: text.slice(from, last), start, end: next };
}

function* linesOf(text: string): Iterable<{ line: string; start: number; next: number }> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const next = end === -1 ? text.length : end + 1;
    yield { line: text.slice(start, end === -1 ? next : end).replace(/\r$/, ""), start, next };
    start = next;
  }
}
