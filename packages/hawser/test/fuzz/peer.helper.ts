import { SILENT } from "../../src/base/index.js";
import type { Options } from "../../src/options/index.js";
import { LineFramer } from "../../src/wire/index.js";
import { Puppet } from "../process/custom-process.helper.js";

/** The fields of a host line that a peer reads. */
export interface HostLine {
  readonly type: string;
  readonly uuid?: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string };
  readonly response?: {
    readonly subtype: string;
    readonly request_id: string;
    readonly response?: unknown;
    readonly error?: string;
  };
}

/** The lines of a peer in answer to a line of the host. */
export type Replies = (heard: HostLine) => readonly string[];

/**
 * A CLI inside this program. Its bytes go through the real pipes, framing, decoding and read loop.
 * It prints any lines, exits when its input ends, and obeys signals.
 */
export class Peer extends Puppet {
  /** The options for complete(), openSession() and query(). */
  readonly options: Options;
  readonly sent: HostLine[] = [];
  #left = false;
  #wake: () => void = () => {};

  constructor(replies: Replies, chunkOf: (bytes: Buffer) => Iterable<Buffer> = (all) => [all]) {
    super();
    this.options = {
      cliPath: "/nowhere/claude",
      inheritEnv: false,
      logger: SILENT,
      spawnClaudeCodeProcess: this.spawn,
    };
    const framer = new LineFramer();
    this.stdin.on("data", (bytes: Buffer) => {
      for (const line of framer.push(bytes)) {
        const heard = JSON.parse(String(line)) as HostLine;
        this.sent.push(heard);
        this.print(replies(heard), chunkOf);
        this.#wake();
      }
    });
    this.stdin.once("finish", () => this.leave(0));
  }

  print(
    lines: readonly string[],
    chunkOf: (bytes: Buffer) => Iterable<Buffer> = (all) => [all],
  ): void {
    if (lines.length === 0 || this.#left) return;
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
    for (const chunk of chunkOf(bytes)) this.stdout.write(chunk);
  }

  /** Resolves when `found` returns true for the lines that the host has sent. */
  async until(found: (sent: readonly HostLine[]) => boolean): Promise<void> {
    while (!found(this.sent)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  leave(code: number | null, signal: NodeJS.Signals | null = null): void {
    if (this.#left) return;
    this.#left = true;
    this.stdout.end();
    this.exit(code, signal);
  }

  override kill(signal: NodeJS.Signals): boolean {
    this.leave(null, signal);
    return super.kill(signal);
  }
}

/** The answer to a request of the host, as a line. */
export function acknowledged(request_id: string | undefined, response: object = {}): string {
  return JSON.stringify({
    type: "control_response",
    response: { subtype: "success", request_id, response },
  });
}
