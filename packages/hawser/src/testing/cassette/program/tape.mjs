// Writes a take. docs/cassettes.md describes the format.
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { parse, stringify } from "./json.mjs";

const { O_APPEND, O_WRONLY } = constants;

/** The entries of one process. Each entry is appended at once, as a whole line. */
export class Tape {
  #take;
  #mask;
  /** @type {number | undefined} Undefined after the file was closed. */
  #fd;
  #startedAt = performance.now();
  #onLoss;

  /** Throws if the file cannot be opened. Calls `onLoss` if an entry cannot be written. */
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

  /** Writes a line of `kind` "in", "out" or "err". A line without a line break is the last of its stream. */
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
    // A line that JSON would not reproduce exactly is kept as text.
    const faithful =
      value !== undefined && (kind === "in" ? JSON.stringify : stringify)(value) === text;
    return faithful ? { json: this.#mask.hide(value) } : { text: this.#mask.hideText(text) };
  }
}
