/** Splits bytes into lines. `onLine` gets each line without its line break, and whether it had one. */
export class Lines {
  #parts = [];
  #onLine;

  constructor(onLine) {
    this.#onLine = onLine;
  }

  push(chunk) {
    let from = 0;
    for (let lf = chunk.indexOf(10); lf !== -1; lf = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#parts, chunk.subarray(from, lf)]);
      this.#parts = [];
      from = lf + 1;
      this.#onLine(line, true);
    }
    if (from < chunk.length) this.#parts.push(chunk.subarray(from));
  }

  end() {
    const rest = Buffer.concat(this.#parts);
    this.#parts = [];
    if (rest.length > 0) this.#onLine(rest, false);
  }
}
