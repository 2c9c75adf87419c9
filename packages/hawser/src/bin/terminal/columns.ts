import { wrapText } from "./wrap-text.js";

/**
 * Formats rows in two columns. A first cell that is too long gets a line of its own. With `most`, the
 * second column is broken at words so that a line takes at most that many columns of the screen.
 */
export function columns(rows: readonly (readonly [string, string])[], most?: number): string {
  const width = Math.min(WIDEST, Math.max(...rows.map(([first]) => first.length)));
  const lines = rows.map(([first, second]) =>
    first.length > width
      ? `  ${first}\n  ${" ".repeat(width)}  ${second}`
      : `  ${first.padEnd(width)}  ${second}`,
  );
  const text = lines.join("\n");
  return most === undefined ? text : wrapText(text, most, width + 4);
}

const WIDEST = 44;
