// Measures framing and decoding of stream-json. Many small lines are compared with a plain JSON.parse of
// lines that are already strings, and with node:readline. A single huge line is compared with what a
// program would write that expects one: join the chunks, and parse.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { DIST } from "../tools/dist.js";
import { ratioFigure } from "./figures.js";
import { INPUTS } from "./framing/inputs.js";
import { collectGarbage } from "./garbage.js";
import { interleaved } from "./rounds.js";

const { LineFramer, decodeLine } = await import(pathToFileURL(`${DIST}/wire/index.js`).href);

const ROUNDS = 9;

/** The plain JSON.parse gets strings and does not have to create them, so a ratio of 1 is out of reach. */
const MARKS = {
  bare: { label: "bare JSON.parse", atLeast: 0.8 },
  concat: { label: "concat and JSON.parse", atLeast: 1 },
  readline: { label: "node:readline", atLeast: 1 },
};

export async function run(rounds = ROUNDS) {
  const figures = [];
  for (const makeInput of INPUTS) {
    const input = makeInput();
    const marks = input.lines.length === 1 ? ["concat", "readline"] : ["bare", "readline"];
    const rates = await interleaved(["hawser", ...marks], { rounds }, (name) => rate(name, input));
    for (const mark of marks) {
      const { label, atLeast } = MARKS[mark];
      figures.push(
        ratioFigure({
          id: `${input.id}-${mark}`,
          figure: `${input.name}, MB/s`,
          against: label,
          hawser: rates.hawser,
          other: rates[mark],
          atLeast,
        }),
      );
    }
  }
  return { figures };
}

/** In MB/s. Starts after a garbage collection, so that no contender pays for another's garbage. */
async function rate(name, input) {
  collectGarbage();
  const start = performance.now();
  const messages = await CONTENDERS[name](input);
  const ms = performance.now() - start;
  const expected = input.lines.length * input.passes;
  if (messages !== expected) throw new Error(`${messages} messages instead of ${expected}`);
  return (input.bytes * input.passes) / 1e3 / ms;
}

const CONTENDERS = {
  bare({ lines, passes }) {
    let messages = 0;
    for (let pass = 0; pass < passes; pass++) {
      for (const line of lines) if (JSON.parse(line).type) messages++;
    }
    return messages;
  },

  concat({ chunks }) {
    return JSON.parse(Buffer.concat(chunks).toString()).type ? 1 : 0;
  },

  hawser({ chunks, passes }) {
    let messages = 0;
    const framer = new LineFramer();
    for (let pass = 0; pass < passes; pass++) {
      for (const chunk of chunks) {
        for (const line of framer.push(chunk)) {
          const frame = decodeLine(line);
          if (frame.kind === "message" && frame.message.type) messages++;
        }
      }
    }
    return messages + framer.end().length;
  },

  async readline({ chunks, passes }) {
    let messages = 0;
    const input = Readable.from(repeat(chunks, passes), { objectMode: false });
    const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    reader.on("line", (line) => {
      if (JSON.parse(line).type) messages++;
    });
    await new Promise((resolve) => reader.once("close", resolve));
    return messages;
  },
};

function* repeat(chunks, passes) {
  for (let pass = 0; pass < passes; pass++) yield* chunks;
}
