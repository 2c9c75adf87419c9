import { columnsOf } from "./columns-of.js";
import { lazy } from "./lazy.js";

/** Removes characters that move the cursor or reverse the text: models, tools and files may send them. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(unseemly(), "");
}

const unseemly = lazy(() => /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu);

/** Like printable(), but an invisible character is replaced by a visible sign. */
export function visible(text: string): string {
  return text.replace(unseen(), signFor);
}

/** Like visible(), on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "␊");
}

/** A visible sign in place of a character. */
export function signFor(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/**
 * Control and format characters, those without a meaning, blanks that are no space, marks that strike
 * letters out or lie over them, and more marks on one letter than any language has.
 */
const unseen = lazy(
  () =>
    new RegExp(
      [
        "(?![\\n\\t])[\\p{C}\\p{Zl}\\p{Zp}]",
        "(?![ \\u3000])\\p{Zs}",
        "[\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u2800\\u3164\\uFFA0\\uFE00-\\uFE0E\\u{E0100}-\\u{E01EF}]",
        "(?<!\\p{Emoji})\\uFE0F",
        "[\\u0334-\\u0338\\u0488\\u0489\\u20D0-\\u20FF]",
        "(?<=\\p{M}{2})\\p{M}",
      ].join("|"),
      "gu",
    ),
);

/** Printable text on one line that takes at most so many columns of the screen. */
export function oneLine(text: string, longest: number): string {
  // Only the start is looked at, because the text may have megabytes.
  const start = text.slice(0, Math.max(1, longest) * 8);
  const line = printable(start.replace(/[\p{Cc}\s]+/gu, " ")).trim();
  const isWhole = start.length === text.length && fitting(line, longest) === line;
  return isWhole ? line : `${fitting(line, longest - 1)}…`;
}

function fitting(line: string, columns: number): string {
  let [room, end] = [columns, 0];
  for (const letter of line) {
    room -= columnsOf(letter);
    if (room < 0) break;
    end += letter.length;
  }
  return line.slice(0, end);
}
