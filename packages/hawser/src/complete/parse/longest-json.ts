/**
 * The longest object or array that stands in a text; of two as long, the first. A part of something
 * that is almost JSON is none: of a value that is cut off, or has a comma too many, nothing is taken.
 */
export function findLongestJson(text: string): { readonly value: unknown } | undefined {
  let [from, to] = [0, 0];
  const ends = closingsOf(text);
  const tried = new Uint8Array(text.length);
  for (let start = 0; start < text.length; start++) {
    if (!opens(text[start]) || tried[start] === 1) continue;
    const { end, isJson } = read(text, start, tried);
    if (isJson && end - start > to - from) [from, to] = [start, end];
    if (!isJson && end === text.length) break;
    // What lies within is a part of it. A brace that nothing closes is only a sign in the text.
    start = isJson ? end - 1 : (ends.get(start) ?? start);
  }
  return to === 0 ? undefined : { value: JSON.parse(text.slice(from, to)) };
}

/** Where each brace and bracket is closed, by the count of them alone. */
function closingsOf(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open = { "}": [] as number[], "]": [] as number[] };
  for (const { 0: sign, index } of text.matchAll(/[{}[\]]/g)) {
    if (sign === "{") open["}"].push(index);
    else if (sign === "[") open["]"].push(index);
    else {
      const start = open[sign as "}" | "]"].pop();
      if (start !== undefined) ends.set(start, index);
    }
  }
  return ends;
}

/**
 * Reads one object or array, up to its end or to where the text stops to be JSON. Each that is opened
 * on the way is marked as tried: begun there, one would get no further. That keeps the whole search
 * linear: two tries can cover the same text only if a quote opens a string for one and closes it for
 * the other, so no third can.
 */
function read(
  text: string,
  start: number,
  tried: Uint8Array,
): { readonly end: number; readonly isJson: boolean } {
  const open: number[] = [];
  let wants: "value" | "first" | "name" | "firstName" | "colon" | "next" = "value";
  for (let at = start; ; ) {
    at = skip(BLANK, text, at) ?? at;
    const sign = text[at];
    const inObject = text[open.at(-1) ?? start] === "{";
    const isEmpty = (sign === "]" && wants === "first") || (sign === "}" && wants === "firstName");
    if (isEmpty || (wants === "next" && sign === (inObject ? "}" : "]"))) {
      at++;
      open.pop();
      if (open.length === 0) return { end: at, isJson: true };
      wants = "next";
    } else if (wants === "next" && sign === ",") {
      at++;
      wants = inObject ? "name" : "value";
    } else if (wants === "colon" && sign === ":") {
      at++;
      wants = "value";
    } else if (wants === "name" || wants === "firstName") {
      const name = skipString(text, at);
      if (name.isCut) return { end: name.end, isJson: false };
      at = name.end;
      wants = "colon";
    } else if ((wants === "value" || wants === "first") && opens(sign)) {
      tried[at] = 1;
      open.push(at++);
      wants = sign === "{" ? "firstName" : "first";
    } else if (wants === "value" || wants === "first") {
      const scalar = skip(SCALAR, text, at);
      const { end, isCut } =
        scalar === undefined ? skipString(text, at) : { end: scalar, isCut: false };
      if (isCut) return { end, isJson: false };
      at = end;
      wants = "next";
    } else {
      return { end: at, isJson: false };
    }
  }
}

const BLANK = /[ \t\r\n]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function opens(sign: string | undefined): boolean {
  return sign === "{" || sign === "[";
}

function skip(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** A string, or as much of it as there is. */
function skipString(
  text: string,
  start: number,
): { readonly end: number; readonly isCut: boolean } {
  if (text[start] !== '"') return { end: start, isCut: true };
  for (let at = start + 1; at < text.length; ) {
    const sign = text[at] ?? "";
    if (sign === '"') return { end: at + 1, isCut: false };
    const next = sign === "\\" ? skip(ESCAPE, text, at) : sign < " " ? undefined : at + 1;
    if (next === undefined) return { end: at, isCut: true };
    at = next;
  }
  return { end: text.length, isCut: true };
}
