import { describe, expect, it } from "vitest";
import { layOut } from "../../src/bin/terminal/input/line-screen.js";

function laid(text: string, cursor = text.length, columns = 11, rows = 6) {
  return layOut({ prompt: "\x1b[1m>\x1b[22m ", text, cursor }, { columns, rows });
}

const PROMPT = "\x1b[1m>\x1b[22m ";

describe("layOut()", () => {
  it("puts each line on its own rows, below the text of the first line", () => {
    expect(laid("ab\ncd")).toEqual({ lines: [`${PROMPT}ab`, "  cd"], row: 1, column: 4 });
    expect(laid("ab\ncd", 1)).toMatchObject({ row: 0, column: 3 });
    expect(laid("")).toEqual({ lines: [PROMPT], row: 0, column: 2 });
  });

  it("breaks long lines by the width of their characters", () => {
    expect(laid("123456789").lines).toEqual([`${PROMPT}12345678`, "  9"]);
    expect(laid("漢字漢字漢").lines).toEqual([`${PROMPT}漢字漢字`, "  漢"]);
    expect(laid("a\tb").lines).toEqual([`${PROMPT}a   b`]);
  });

  it("shows a symbol for characters that move the cursor", () => {
    const { lines } = laid("\x1b[2J\r\x07\u202E\x9b", 0, 80);
    expect(lines).toEqual([`${PROMPT}␛[2J␍␇<U+202E><U+009B>`]);
  });

  it("shows the part around the cursor if the text is higher than the screen", () => {
    const text = Array.from({ length: 100 }, (_, i) => `l${i}`).join("\n");
    const end = laid(text);
    expect(end.lines).toEqual([
      `${PROMPT}(97 more lines above)`,
      "  l97",
      "  l98",
      "  l99",
      "  (0 more lines below)",
    ]);
    expect(end).toMatchObject({ row: 3, column: 5 });
    expect(laid(text, 0)).toMatchObject({
      row: 1,
      lines: { 1: "  l0", 4: "  (97 more lines below)" },
    });
    const middle = laid(text, text.indexOf("l50"));
    expect(middle.lines[middle.row]).toBe("  l50");
    expect(middle.lines).toHaveLength(5);
  });
});
