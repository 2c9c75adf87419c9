// What a take is written down as. docs/cassettes.md describes the format.
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { parse, stringify } from "./json.mjs";

const { O_APPEND, O_WRONLY } = constants;

/** The part of a cassette that belongs to one process. Entries are appended whole, as they come. */
export class Tape {
  #take;
  #mask;
  /** @type {number | undefined} Undefined once it is closed. */
  #fd;
  #startedAt = performance.now();
  #onLoss;

  /** Throws if the file cannot be written. `onLoss` hears of an entry that could not be. */
  constructor(file, take, mask, onLoss) {
    this.#take = take;
    this.#mask = mask;
    this.#onLoss = onLoss;
    this.#fd = openSync(file, O_WRONLY | O_APPEND);
  }

  start(argv, env) {
    const hidden = argv.map(this.#mask.hideArgument);
    this.add("start", { argv: hidden, env: Object.keys(env).sort() });
  }

  /** A line of `kind` "in", "out" or "err"; one without an end is the last of its stream. */
  line(kind, bytes, ended) {
    this.add(kind, { ...this.#content(kind, bytes), ...(ended ? {} : { newline: false }) });
  }

  add(kind, fields = {}) {
    if (this.#fd === undefined) return;
    const ms = Math.round(performance.now() - this.#startedAt);
    const line = `${JSON.stringify({ take: this.#take, ms, kind, ...fields })}\n`;
    try {
      writeSync(this.#fd, line);
    } catch (error) {
      this.close();
      this.#onLoss(error);
    }
  }

  close() {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #content(kind, bytes) {
    const text = bytes.toString("utf8");
    if (Buffer.byteLength(text) !== bytes.length || !Buffer.from(text).equals(bytes)) {
      return { latin1: this.#mask.hideText(bytes.toString("latin1")) };
    }
    const value = kind === "err" ? undefined : parse(text);
    // What would not come out of JSON as it went in is kept as text.
    const faithful =
      value !== undefined && (kind === "in" ? JSON.stringify : stringify)(value) === text;
    return faithful ? { json: this.#mask.hide(value) } : { text: this.#mask.hideText(text) };
  }
}
