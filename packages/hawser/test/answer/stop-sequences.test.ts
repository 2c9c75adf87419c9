import { describe, expect, it } from "vitest";
import { StopSequences } from "../../src/answer/stop-sequences.js";
import { fc } from "../support/fc.js";

/** What is shown of a text that comes in these pieces. */
function shown(sequences: readonly string[], pieces: readonly string[]) {
  const stops = new StopSequences(sequences);
  let text = "";
  for (const piece of pieces) {
    const next = stops.add(piece);
    text += next.text;
    if (next.found !== undefined) return { text, found: next.found };
  }
  return { text: text + stops.flush(), found: undefined };
}

/** Finds the stop sequence in a slow and simple way: it looks at every beginning of the text. */
function expected(sequences: readonly string[], text: string) {
  for (let end = 1; end <= text.length; end += 1) {
    const found = sequences
      .filter((sequence) => text.slice(0, end).endsWith(sequence))
      .sort((a, b) => b.length - a.length)[0];
    if (found !== undefined) return { text: text.slice(0, end - found.length), found };
  }
  return { text, found: undefined };
}

describe("StopSequences", () => {
  it("cuts exactly before a sequence that spans two pieces", () => {
    expect(shown(["END"], ["one E", "ND two"])).toEqual({ text: "one ", found: "END" });
  });

  it("shows what looked like the beginning of a sequence and was not", () => {
    expect(shown(["END"], ["one EN", "OUGH"])).toEqual({ text: "one ENOUGH", found: undefined });
    expect(shown(["END"], ["one EN"])).toEqual({ text: "one EN", found: undefined });
  });

  it("shows text at once if no sequence can begin there", () => {
    expect(new StopSequences(["END"]).add("one ").text).toBe("one ");
  });

  it("stops at the sequence that is complete first, for any split of any text", () => {
    const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });
    const sequences = fc.array(
      fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 }),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(sequences, fc.array(letters, { maxLength: 6 }), (stops, pieces) => {
        expect(shown(stops, pieces)).toEqual(expected(stops, pieces.join("")));
      }),
    );
  });
});
