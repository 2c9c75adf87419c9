import type { WriteStream } from "node:tty";
import { signFor } from "../../../base/index.js";
import { widthOf } from "../wrap-text.js";

export interface Shown {
  /** The text before the input. It may contain colours. */
  readonly prompt: string;
  readonly text: string;
  readonly cursor: number;
}

/** Draws the text that is being edited at the bottom of the screen, and keeps it there. */
export class LineScreen {
  readonly #out: WriteStream;
  /** How many rows are above the cursor, and how many are below; undefined if nothing is drawn. */
  #drawn: { readonly above: number; readonly below: number } | undefined;

  constructor(out: WriteStream) {
    this.#out = out;
  }

  draw(shown: Shown): void {
    const { columns = 80, rows = 24 } = this.#out;
    // A terminal may say that it has no size.
    const size = { columns: columns || 80, rows: rows || 24 };
    const { lines, row, column } = layOut(shown, size);
    const below = lines.length - 1 - row;
    this.#out.write(
      `${this.#toTop()}\x1b[J${lines.join("\r\n")}${up(below)}\r${column === 0 ? "" : `\x1b[${column}C`}`,
    );
    this.#drawn = { above: row, below };
  }

  /** Clears the drawn text from the screen. */
  clear(): void {
    if (this.#drawn === undefined) return;
    this.#out.write(`${this.#toTop()}\x1b[J`);
    this.#drawn = undefined;
  }

  /** Leaves the drawn text on the screen and moves the cursor below it. */
  moveBelow(): void {
    this.#out.write(`${down(this.#drawn?.below ?? 0)}\r\n`);
    this.#drawn = undefined;
  }

  /** To be called after the screen was cleared by other means. */
  reset(): void {
    this.#drawn = undefined;
  }

  #toTop(): string {
    return this.#drawn === undefined ? "" : `${up(this.#drawn.above)}\r`;
  }
}

interface Layout {
  readonly lines: readonly string[];
  /** Where the cursor is in them. */
  readonly row: number;
  readonly column: number;
}

/**
 * Breaks the text into rows that fit the screen. Of a text that is higher than the screen, the part
 * around the cursor is shown, with the number of lines above and below it.
 */
export function layOut(
  { prompt, text, cursor }: Shown,
  size: { readonly columns: number; readonly rows: number },
): Layout {
  // The last column stays free, because terminals differ in what they do once it is written.
  const width = Math.max(size.columns - 1, 8);
  const most = Math.max(size.rows - 1, 3);
  const indent = Math.min(widthOf(prompt), width - 4);
  const lines = text.split("\n");
  const place = text.slice(0, cursor).split("\n");
  const at = place.length - 1;
  const here = wrap(lines[at] ?? "", width - indent, place[at]?.length);

  const rows = here.rows.map((row) => ({ row, line: at }));
  let row = here.cursorRow;
  // Only the part that fits the screen is broken into rows, so that each key is fast in a long text.
  for (let line = at - 1; line >= 0 && row < most; line -= 1) {
    const more = wrap(lines[line] ?? "", width - indent).rows.map((each) => ({ row: each, line }));
    rows.unshift(...more);
    row += more.length;
  }
  for (let line = at + 1; line < lines.length && rows.length - row <= most; line += 1) {
    rows.push(...wrap(lines[line] ?? "", width - indent).rows.map((each) => ({ row: each, line })));
  }
  const blank = " ".repeat(indent);
  const column = indent + here.cursorColumn;
  if (rows.length <= most && rows[0]?.line === 0 && rows.at(-1)?.line === lines.length - 1) {
    return { lines: rows.map((each, i) => `${i === 0 ? prompt : blank}${each.row}`), row, column };
  }
  // Two rows show how many lines are above and below.
  const room = most - 2;
  const start = Math.min(Math.max(0, row - room + 1), Math.max(0, rows.length - room));
  const shown = rows.slice(start, start + room);
  const above = shown[0]?.line ?? 0;
  const below = lines.length - 1 - (shown.at(-1)?.line ?? 0);
  return {
    lines: [
      `${prompt}(${countOf(above)} above)`,
      ...shown.map((each) => `${blank}${each.row}`),
      `${blank}(${countOf(below)} below)`,
    ],
    row: row - start + 1,
    column,
  };
}

function countOf(lines: number): string {
  return `${lines} more ${lines === 1 ? "line" : "lines"}`;
}

interface Wrapped {
  readonly rows: readonly string[];
  readonly cursorRow: number;
  readonly cursorColumn: number;
}

/** Breaks one line into rows; nothing in them can move the terminal's cursor. */
function wrap(line: string, width: number, cursor?: number): Wrapped {
  const rows: string[] = [];
  let [row, columns, place] = ["", 0, 0];
  let [cursorRow, cursorColumn] = [0, 0];
  const note = () => {
    if (place === cursor) [cursorRow, cursorColumn] = [rows.length, columns];
  };
  for (const character of line) {
    const shown = shownAs(character, columns);
    const wide = widthOf(shown);
    if (columns + wide > width && columns > 0) {
      rows.push(row);
      [row, columns] = ["", 0];
    }
    note();
    row += shown;
    columns += wide;
    place += character.length;
  }
  note();
  rows.push(row);
  return { rows, cursorRow, cursorColumn };
}

function shownAs(character: string, column: number): string {
  if (character === "\t") return " ".repeat(TAB - (column % TAB));
  // Two format characters join letters in many scripts, and are harmless.
  return /(?![\u200C\u200D])[\p{Cc}\p{Cf}\u2028\u2029]/u.test(character)
    ? signFor(character)
    : character;
}

const TAB = 4;

function up(rows: number): string {
  return rows === 0 ? "" : `\x1b[${rows}A`;
}

function down(rows: number): string {
  return rows === 0 ? "" : `\x1b[${rows}B`;
}
