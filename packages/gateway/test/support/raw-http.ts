import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A connection on which a test writes bytes as it likes. */
export class RawConnection {
  readonly #socket: Socket;
  #text = "";
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (piece: string) => {
      this.#text += piece;
    });
    // A server that refuses a body may reset the connection.
    this.#socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      this.#socket.on("close", () => resolve());
    });
    onTestFinished(() => void this.#socket.destroy());
  }

  get text(): string {
    return this.#text;
  }

  /** The JSON body of the only answer. */
  json(): unknown {
    return JSON.parse(this.#text.slice(this.#text.indexOf("\r\n\r\n") + 4));
  }

  /** Whether the whole text was taken. */
  write(text: string | Uint8Array): boolean {
    return this.#socket.destroyed ? false : this.#socket.write(text);
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once("drain", resolve);
      this.#socket.once("close", () => resolve());
    });
  }

  get bytesWritten(): number {
    return this.#socket.bytesWritten;
  }

  /** Resolves to the status of the first answer. */
  async status(): Promise<number> {
    for (;;) {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(this.#text)?.[1];
      if (status !== undefined) return Number(status);
      await new Promise((resolve) => {
        this.#socket.once("data", resolve);
        this.#socket.once("close", resolve);
      });
      if (this.#socket.destroyed && this.#text === "") return 0;
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
