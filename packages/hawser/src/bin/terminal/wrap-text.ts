import { columnsOf } from "../../base/index.js";

/**
 * Breaks lines at words so that they fit into `columns`. The continuation of a line is indented like the
 * line, or by `hang`. A word that is longer than a row is left to the terminal, because an address or a
 * path with a line break in it cannot be copied. Colours take no room.
 */
export function wrapText(text: string, columns: number, hang?: number): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, columns, hang))
    .join("\n");
}

function wrapLine(line: string, columns: number, hang: number | undefined): string {
  if (widthOf(line) <= columns) return line;
  const [lead = ""] = LEAD.exec(line) ?? [];
  const indent = " ".repeat(Math.min(hang ?? widthOf(lead), Math.floor(columns / 2)));
  let [shown, taken, gap] = [lead, widthOf(lead), ""];
  for (const [place, part] of line.slice(lead.length).split(GAP).entries()) {
    if (place % 2 === 1) {
      gap = part;
      continue;
    }
    const width = widthOf(part);
    if (place > 0 && taken + gap.length + width > columns) {
      shown += `\n${indent}`;
      [taken, gap] = [indent.length, ""];
    }
    shown += gap + part;
    taken += gap.length + width;
    if (taken > columns) taken %= columns;
  }
  return shown;
}

/** Where a line may be broken. Neither a separator nor the unit of a time may begin a row. */
const GAP = /(?<! )( +)(?! |[·s](?:\x1b\[[\d;]*m)*(?: |$))/;

const LEAD = /^(?:\x1b\[[\d;]*m| )*/;

/**
 * Breaks a line into rows of at most `columns`, at a blank if there is one; tabs become spaces. The rows
 * together are the whole line: a blank at the end of a row stays there, even in the column behind the
 * last one.
 */
export function breakIntoRows(line: string, columns: number): string[] {
  const rows: string[] = [];
  let [row, taken] = ["", 0];
  for (const character of line) {
    const shown = character === "\t" ? " ".repeat(TAB - (taken % TAB)) : character;
    const width = character === "\t" ? shown.length : columnsOf(character);
    const isLastBlank = character === " " && taken === columns;
    if (taken + width > columns && taken > 0 && !isLastBlank) {
      const end = afterLastBlank(row);
      rows.push(row.slice(0, end));
      row = row.slice(end);
      taken = widthOf(row);
    }
    row += shown;
    taken += width;
  }
  return [...rows, row];
}

const TAB = 8;

/** Where the last word of a row begins; the end of the row if it has only one. */
function afterLastBlank(row: string): number {
  const end = row.lastIndexOf(" ") + 1;
  return row.slice(0, end).trim() === "" ? row.length : end;
}

/** How many columns of the screen a text takes that may hold colours. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const character of text.replace(/\x1b\[[\d;]*m/g, "")) columns += columnsOf(character);
  return columns;
}
