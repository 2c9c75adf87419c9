/** A fenced code block of Markdown. */
export interface CodeFence {
  /** The text after the opening mark, mostly the language. */
  readonly info: string;
  readonly content: string;
  /** The position of the block in the text, marks included. */
  readonly start: number;
  readonly end: number;
  /** Whether the block has an end mark on a line of its own. */
  readonly isClosed: boolean;
}

/** A cheap check that avoids reading most texts line by line. */
export function mayHaveCodeFence(text: string): boolean {
  return text.includes("```") || text.includes("~~~");
}

/**
 * The code fences of a text. The last one may lack its end mark. A mark must be at the start of a line, so
 * that three backticks in a JSON string, which has no line breaks, are no mark. With `nest`, a mark with a
 * language opens a fence inside the current one; otherwise the first end mark closes it, as in Markdown.
 */
export function findCodeFences(text: string, nest = false): readonly CodeFence[] {
  const fences: CodeFence[] = [];
  let open: OpenFence | undefined;
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
        fences.push({ ...closeFence(text, open, start, next), isClosed: true });
        open = undefined;
      }
    }
  }
  if (open !== undefined) {
    fences.push({ ...closeFence(text, open, text.length, text.length), isClosed: false });
  }
  return fences;
}

/** A fence whose end mark was not read yet. */
interface OpenFence {
  readonly sign: string;
  readonly info: string;
  readonly start: number;
  readonly from: number;
  depth: number;
}

/** After backticks no further backtick may follow in the line; otherwise it is inline code. */
const FENCE = /^\uFEFF?[ \t]*(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

function closeFence(
  text: string,
  open: OpenFence,
  end: number,
  next: number,
): Omit<CodeFence, "isClosed"> {
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
