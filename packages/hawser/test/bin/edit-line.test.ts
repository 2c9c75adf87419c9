import { describe, expect, it } from "vitest";
import { EditLine } from "../../src/bin/terminal/input/edit-line.js";
import { InputDecoder } from "../../src/bin/terminal/input/input-decoder.js";

/** Types each of the chunks; the text is given with `|` for the cursor. */
function typed(chunks: readonly string[], history: readonly string[] = []) {
  const line = new EditLine(history);
  const decoder = new InputDecoder();
  const effects = chunks.flatMap((chunk, i) =>
    decoder.decode(chunk, i * 1000).map((input) => line.apply(input)),
  );
  const { text, cursor } = line;
  return { shown: `${text.slice(0, cursor)}|${text.slice(cursor)}`, effect: effects.at(-1), line };
}

const [UP, DOWN, LEFT, ALT_ENTER] = ["\x1b[A", "\x1b[B", "\x1b[D", "\x1b\r"];

describe("EditLine", () => {
  it.each([
    ["puts pasted text where the cursor is", ["ad", LEFT, "\x1b[200~b\rc\x1b[201~"], "ab\nc|d"],
    ["starts a line at Alt-Enter", ["a", ALT_ENTER, "b"], "a\nb|"],
    ["starts a line at Enter after a backslash", ["a\\", "\r", "b"], "a\nb|"],
    ["removes a character as a person sees it", ["e\u0301👨‍👩‍👧", "\x7f", "\x7f"], "|"],
    ["joins lines at Backspace", ["a", ALT_ENTER, "\x7f"], "a|"],
    ["goes to the start of its line at Ctrl-A", ["ab", ALT_ENTER, "cd", "\x01"], "ab\n|cd"],
    ["removes a word, and puts it back", ["one two", "\x17", "\x19", "\x19"], "one twotwo|"],
    [
      "goes up and down between lines",
      ["ab", ALT_ENTER, "cd", ALT_ENTER, "e", UP, UP, DOWN],
      "ab\nc|d\ne",
    ],
    ["removes to the end of the line at Ctrl-K", ["ab", LEFT, "\x0b"], "a|"],
    ["ignores what it does not know", ["a", "\x1b[15~", "\x1b[5~"], "a|"],
  ])("%s", (_, chunks, shown) => expect(typed(chunks).shown).toBe(shown));

  it("brings back a text of several lines whole, and then the draft", () => {
    const history = ["newest\nof two", "oldest"];
    expect(typed(["draft", UP], history).shown).toBe("newest\nof two|");
    expect(typed(["draft", UP, UP, UP], history).shown).toBe("oldest|");
    expect(typed(["draft", UP, DOWN], history).shown).toBe("draft|");
  });

  it("reports when the text is sent, cancelled or ended", () => {
    expect(typed(["a", "\r"]).effect).toBe("enter");
    expect(typed(["a", "\x03"]).effect).toBe("interrupt");
    expect(typed(["\x04"]).effect).toBe("end");
    expect(typed(["ab", LEFT, "\x04"]).shown).toBe("a|");
  });

  it("restores at Ctrl-Y a text that Ctrl-C removed", () => {
    const { line } = typed(["\x1b[200~a\rb\x1b[201~"]);
    line.clear();
    expect(line.text).toBe("");
    line.apply({ kind: "key", key: "put-back" });
    expect(line.text).toBe("a\nb");
  });
});
