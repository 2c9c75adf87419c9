import { StringDecoder } from "node:string_decoder";
import { atHostExit } from "../../../process/index.js";
import { type Input, InputDecoder } from "./input-decoder.js";

export interface KeyReader {
  onInput(input: Input): void;
  /** There will be no more input. */
  onEnd(): void;
}

/**
 * The keys of the terminal, for one reader at a time. Only while the keyboard is taken, the terminal is in
 * raw mode and marks pasted text. At other times Ctrl-C is a signal, and the program can end.
 */
export class Keyboard {
  readonly #decoder = new InputDecoder();
  readonly #utf8 = new StringDecoder("utf8");
  #reader: KeyReader | undefined;
  #isTaken = false;
  #release: () => void = () => {};
  /** Input that has arrived and was not read yet. */
  #ahead: Input[] = [];
  /** Whether the terminal is gone. */
  #isOver = false;

  /** Whether a paste has begun and not ended yet. */
  get isPasting(): boolean {
    return this.#decoder.isPasting;
  }

  /** Takes the terminal; keys are kept until there is a reader. */
  take(): void {
    if (this.#isTaken) return;
    this.#isTaken = true;
    const { stdin } = process;
    this.#takeTerminal();
    this.#release = atHostExit(() => this.#giveBack());
    stdin.on("data", this.#onData);
    stdin.on("end", this.#onEnd);
    stdin.on("error", this.#onEnd);
    stdin.resume();
  }

  /** Gives the keys to a reader, in place of the last reader. Kept keys come first. */
  open(reader: KeyReader): void {
    this.take();
    this.#reader = reader;
    this.#read();
    if (this.#isOver) setImmediate(() => reader === this.#reader && reader.onEnd());
  }

  close(): void {
    this.#reader = undefined;
    if (!this.#isTaken) return;
    this.#isTaken = false;
    const { stdin } = process;
    stdin.off("data", this.#onData);
    stdin.off("end", this.#onEnd);
    stdin.pause();
    this.#release();
    this.#giveBack();
    // Last, because stdin emits an error if the terminal is gone when it is given back.
    stdin.off("error", this.#onEnd);
  }

  /** Keeps inputs for the next reader. */
  keep(inputs: readonly Input[]): void {
    this.#ahead.push(...inputs);
  }

  /** Suspends this program as Ctrl-Z does, and takes the terminal again when it continues. */
  suspend(goOn: () => void): void {
    if (process.platform === "win32") return;
    process.once("SIGCONT", () => {
      if (!this.#isTaken) return;
      this.#takeTerminal();
      goOn();
    });
    this.#giveBack();
    process.kill(process.pid, "SIGTSTP");
  }

  readonly #onData = (chunk: Buffer | string) => {
    const text = typeof chunk === "string" ? chunk : this.#utf8.write(chunk);
    this.#ahead.push(...this.#decoder.decode(text, performance.now()));
    this.#read();
  };

  readonly #onEnd = () => {
    this.#isOver = true;
    this.#reader?.onEnd();
  };

  /** A reader may close the keyboard at any input. The rest is kept for the next reader. */
  #read(): void {
    while (this.#reader !== undefined) {
      const input = this.#ahead.shift();
      if (input === undefined) return;
      this.#reader.onInput(input);
    }
  }

  #takeTerminal(): void {
    process.stdin.setRawMode(true);
    if (marksPastes()) process.stderr.write("\x1b[?2004h");
  }

  #giveBack(): void {
    if (marksPastes()) process.stderr.write("\x1b[?2004l");
    process.stdin.setRawMode(false);
  }
}

/** A dumb terminal would print the sequence. */
function marksPastes(): boolean {
  return process.env["TERM"] !== "dumb";
}
