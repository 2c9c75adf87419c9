// Collects what the host has sent so far: lines, the end of its input, signals.

import { parse } from "./json.mjs";
import { Lines } from "./lines.mjs";

export class Inbox {
  ended = false;
  #waiting = [];

  /** `onLine` gets each line that is not blank: as a value if it is JSON, else as text. */
  constructor(stream, onLine) {
    const take = (bytes) => {
      const text = bytes.toString("utf8");
      if (text.trim() === "") return;
      onLine(parse(text) ?? text);
      this.wake();
    };
    const lines = new Lines(take);
    const end = () => {
      lines.end();
      this.ended = true;
      this.wake();
    };
    stream.on("data", (chunk) => lines.push(chunk));
    stream.once("end", end);
    stream.once("error", end);
  }

  /** Resolves when `holds` returns true. It is called after each arrival, and after a while. */
  async until(holds, limitMs) {
    let late = false;
    const end = () => {
      late = true;
      this.wake();
    };
    const timer = limitMs === undefined ? undefined : setTimeout(end, limitMs);
    while (!holds() && !late) await new Promise((resolve) => this.#waiting.push(resolve));
    clearTimeout(timer);
  }

  wake() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
