import { describe, expect, it } from "vitest";
import { type Input, InputDecoder } from "../../src/bin/terminal/input/input-decoder.js";
import { fc } from "../support/fc.js";

const [START, END] = ["\x1b[200~", "\x1b[201~"];

/** Text in quotes, keys by their names; pieces of text that follow each other are joined. */
function read(...chunks: readonly string[]): string[] {
  const decoder = new InputDecoder();
  return told(chunks.flatMap((chunk, i) => decoder.decode(chunk, i * 10_000)));
}

function told(inputs: readonly Input[]): string[] {
  const result: string[] = [];
  for (const input of inputs) {
    const last = result.at(-1);
    if (input.kind === "key") result.push(input.key);
    else if (last?.startsWith('"'))
      result.push(JSON.stringify(JSON.parse(result.pop() ?? "") + input.text));
    else result.push(JSON.stringify(input.text));
  }
  return result;
}

describe("InputDecoder", () => {
  it.each([
    ["hello\r", ['"hello"', "enter"]],
    ["a\tb\x7f", ['"a\\tb"', "backspace"]],
    ["/mo\t", ['"/mo"', "complete"]],
    ["\t\t", ["complete", "complete"]],
    ["/mo\t\r", ['"/mo"', "complete", "enter"]],
    // Pasted where pastes are not marked.
    ["\t\tindented", ['"\\t\\tindented"']],
    ["\x1b[200~a\t\x1b[201~", ['"a\\t"', "paste-end"]],
    ["\x1b[A\x1bOB\x1b[1;5D", ["up", "down", "word-left"]],
    ["\x1b\r\x1b[13;2u\x1b[27;2;13~", ["newline", "newline", "newline"]],
    ["\x1b\x03", ["interrupt"]],
    ["\x1b\x1b[D", ["left"]],
    // Answers of a terminal, and keys without a meaning here.
    ["\x1b[?62;c\x1b[[A\x1b[15~\x1b[I\x00x", ['"x"']],
    ["漢é😀", ['"漢é😀"']],
  ])("decodes %j", (typed, inputs) => expect(read(typed)).toEqual(inputs));

  it("decodes everything between the markers of a paste as text", () => {
    const pasted = "one\r\ntwo\x1b[2J\x03\rthree\x1b[200~";
    expect(read(`x${START}${pasted}${END}\r`)).toEqual([
      JSON.stringify("xone\ntwo\x1b[2J\x03\nthree\x1b[200~"),
      "paste-end",
      "enter",
    ]);
  });

  it("decodes a marked paste in the same way for any split into chunks", () => {
    const piece = fc.constantFrom(
      "a",
      "\r",
      "\n",
      "\r\n",
      "\x1b",
      "[",
      "\x1b[201",
      "\x03",
      "漢",
      "~",
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.nat({ max: 60 }), { maxLength: 6 }),
        (pieces, cuts) => {
          const sent = `a${START}${pieces.join("")}${END}b\x1b[A`;
          const places = [0, ...cuts.filter((cut) => cut < sent.length).sort((x, y) => x - y)];
          const chunks = places.map((place, i) => sent.slice(place, places[i + 1]));
          const decoder = new InputDecoder();
          const cut = chunks.filter(Boolean).flatMap((chunk) => decoder.decode(chunk, 0));
          expect(told(cut)).toEqual(read(sent));
          expect(decoder.isPasting).toBe(false);
        },
      ),
    );
  });

  it("ends a paste without an end marker at a key after a pause", () => {
    const decoder = new InputDecoder();
    expect(told(decoder.decode(`${START}one\rtwo`, 0))).toEqual(['"one\\ntwo"']);
    expect(told(decoder.decode("\r", 100))).toEqual(['"\\n"']);
    expect(decoder.isPasting).toBe(true);
    expect(told(decoder.decode("\x03", 1000))).toEqual(["paste-end", "interrupt"]);
    expect(told(decoder.decode("\r", 1001))).toEqual(["enter"]);
  });

  it("drops a lone Esc but not the next key", () => {
    const decoder = new InputDecoder();
    const read = (chunk: string, now: number) => told(decoder.decode(chunk, now));
    expect(read("\x1b", 0)).toEqual([]);
    expect(read("h", 3000)).toEqual(['"h"']);
    expect(read("\x1b", 4000)).toEqual([]);
    expect(read("\r", 7000)).toEqual(["enter"]);
    expect(read("\x1b", 8000)).toEqual([]);
    expect(read("one\rtwo", 9000)).toEqual(['"one\\ntwo"']);
  });

  it("decodes Alt-Enter as one key, also if its two bytes arrive in two chunks", () => {
    const decoder = new InputDecoder();
    expect(told(decoder.decode("\x1b\r", 0))).toEqual(["newline"]);
    expect(told(decoder.decode("\x1b", 1000))).toEqual([]);
    expect(told(decoder.decode("\r", 1005))).toEqual(["newline"]);
  });

  it("decodes several lines in one chunk as text if the terminal does not mark pastes", () => {
    expect(read("one\rtwo")).toEqual(['"one\\ntwo"']);
    expect(read("one\ntwo\n")).toEqual(['"one\\ntwo\\n"']);
    expect(read("\rone")).toEqual(["enter", '"one"']);
    expect(read("one\n")).toEqual(['"one"', "enter"]);
    expect(read("one\r\r")).toEqual(['"one"', "enter", "enter"]);
    expect(read("one\rtwo\x03")).toEqual(['"one"', "enter", '"two"', "interrupt"]);
  });

  it("decodes chunks right after such lines as text, and a single Enter as Enter", () => {
    const decoder = new InputDecoder();
    const inputs = ["one\rtwo", " and\r", "three\r", "\r"].flatMap((chunk, i) => {
      return decoder.decode(chunk, i * 20);
    });
    expect(told(inputs)).toEqual(['"one\\ntwo and\\nthree\\n"', "enter"]);
    expect(told(decoder.decode("four\r", 1000))).toEqual(['"four"', "enter"]);
  });
});
