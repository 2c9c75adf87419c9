/**
 * The position of the first mistake in a text that is not JSON; its length if it ends too early. The messages of
 * `JSON.parse()` have a position in some versions of Node only, and quote the text.
 */
export function jsonMistake(text: string): number {
  const token = new RegExp(TOKEN);
  const open: ("{" | "[")[] = [];
  let expected: Expected = "value";
  let index = 0;
  for (;;) {
    index = skipSpace(text, index);
    if (index === text.length) return index;
    token.lastIndex = index;
    const found = token.exec(text)?.[0];
    if (found === undefined) return index;
    const next = after(found, expected, open);
    const end = found === '"' ? endOfString(text, index + 1) : index + found.length;
    if (next === undefined || end === undefined) return index;
    expected = next;
    index = end;
  }
}

type Expected = "value" | "value_or_close" | "key" | "key_or_close" | "colon" | "comma" | "end";

/** What may follow a token; `undefined` if the token is wrong there. */
function after(token: string, expected: Expected, open: ("{" | "[")[]): Expected | undefined {
  const first = token[0] ?? "";
  const wantsValue = expected === "value" || expected === "value_or_close";
  if (first === "}" || first === "]") {
    const opener = first === "}" ? "{" : "[";
    const mayClose =
      expected === "comma" || expected === (opener === "{" ? "key_or_close" : "value_or_close");
    return mayClose && open.pop() === opener ? afterValue(open) : undefined;
  }
  if (first === ",") return expected === "comma" ? afterComma(open) : undefined;
  if (first === ":") return expected === "colon" ? "value" : undefined;
  if (expected === "key" || expected === "key_or_close") return first === '"' ? "colon" : undefined;
  if (!wantsValue) return undefined;
  if (first === "{" || first === "[") {
    open.push(first);
    return first === "{" ? "key_or_close" : "value_or_close";
  }
  return afterValue(open);
}

function afterValue(open: readonly unknown[]): Expected {
  return open.length === 0 ? "end" : "comma";
}

function afterComma(open: readonly ("{" | "[")[]): Expected {
  return open.at(-1) === "{" ? "key" : "value";
}

function skipSpace(text: string, from: number): number {
  let index = from;
  while (" \t\r\n".includes(text[index] ?? "x")) index += 1;
  return index;
}

/**
 * The position after a string whose content begins at `from`; `undefined` if it is not a string. A regular expression
 * would fail on a string of some megabytes.
 */
function endOfString(text: string, from: number): number | undefined {
  for (let index = from; index < text.length; index += 1) {
    const char = text[index] ?? "";
    if (char === '"') return index + 1;
    if (char < " ") return undefined;
    if (char !== "\\") continue;
    ESCAPE.lastIndex = index;
    const escaped = ESCAPE.exec(text)?.[0];
    if (escaped === undefined) return undefined;
    index += escaped.length - 1;
  }
  return undefined;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** A quote stands for a whole string. */
const TOKEN = /[{}[\],:]|"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
