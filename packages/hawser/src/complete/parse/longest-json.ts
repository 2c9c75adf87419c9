/**
 * The longest object or array in a text; the first one of equal length. Returns no part of a value that is
 * almost JSON, for example of a value that is cut off or has a trailing comma.
 */
export function findLongestJson(text: string): { readonly value: unknown } | undefined {
  let [from, to] = [0, 0];
  const ends = closingsOf(text);
  const tried = new Uint8Array(text.length);
  for (let start = 0; start < text.length; start++) {
    if (!opens(text[start]) || tried[start] === 1) continue;
    const { end, isJson } = scanValue(text, start, tried);
    if (isJson && end - start > to - from) [from, to] = [start, end];
    if (!isJson && end === text.length) break;
    // Skip the inside of this value. A brace without a closing brace is just a character of the text.
    start = isJson ? end - 1 : (ends.get(start) ?? start);
  }
  return to === 0 ? undefined : { value: JSON.parse(text.slice(from, to)) };
}

/** The closing position of each brace and bracket, found by counting only. */
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
 * Reads one object or array to its end, or to the first character that is not JSON. Marks each object and
 * array inside as tried, because a scan from there would get no further. This keeps the whole search
 * linear: two scans can cover the same text only if a quote opens a string for the one and closes it for
 * the other, so that no third scan can.
 */
function scanValue(
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

/** Skips a string, or the existing part of a string that is cut off. */
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
