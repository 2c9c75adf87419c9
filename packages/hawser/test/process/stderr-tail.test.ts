import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { StderrTail } from "../../src/process/spawn/stderr-tail.js";

it.each([
  [["half a", "\nnext\n"], "next"],
  [["half a", " line\nnext\n"], "next"],
  [["half a", " line", " and more\n", "next\n"], "next"],
  [["whole\n", "next\n"], "next"],
  [["half a", "\n\nnext"], "next"],
])(
  "StderrTail.clear() drops earlier text up to the end of its line: %j",
  async ([first = "", ...later], told) => {
    const stream = new PassThrough();
    const lines: string[] = [];
    const tail = new StderrTail(stream, (line) => lines.push(line));
    stream.write(first);
    await new Promise(setImmediate);
    tail.clear();
    lines.length = 0;
    for (const piece of later) stream.write(piece);
    stream.end();
    await new Promise((resolve) => stream.once("close", resolve));
    expect({ text: tail.text, lines }).toEqual({ text: told, lines: [told] });
  },
);
