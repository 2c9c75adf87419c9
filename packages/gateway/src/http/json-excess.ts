/**
 * Whether a JSON text is nested too deeply, or holds too many values. A small text can become a very large object in
 * memory (three characters for an empty list), and `JSON.stringify()` fails on a value that is nested very deeply. So
 * the text is looked at before it is parsed. A text that is no JSON is left to the parser.
 */
export function jsonExcess(text: string): "too_deep" | "too_many" | undefined {
  let depth = 0;
  let values = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index + 1);
        break;
      case BRACE:
      case BRACKET:
        depth += 1;
        values += 1;
        if (depth > MAX_DEPTH) return "too_deep";
        break;
      case BRACE + 2:
      case BRACKET + 2:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
    }
    if (values > MAX_VALUES) return "too_many";
  }
  return undefined;
}

/** What is wrong, in words. */
export function excessText(excess: "too_deep" | "too_many"): string {
  return excess === "too_deep"
    ? `is nested deeper than ${MAX_DEPTH} levels`
    : `holds more than ${MAX_VALUES} values`;
}

const MAX_DEPTH = 200;
const MAX_VALUES = 500_000;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** The position of the quote that ends a string; the end of the text if there is none. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\" && at - 1 - backslashes >= from) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
