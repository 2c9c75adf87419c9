import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Options, PoolStats } from "hawser";

export interface HostState {
  readonly openRequests: number;
  /** The connections of clients. */
  readonly connections: number;
  readonly pool: PoolStats;
  /** The processes of the CLI. */
  readonly pids: readonly number[];
}

/** The program `host.js`, in a process of its own, so that its memory is the gateway's alone. */
export class CrowdHost {
  readonly #child: ChildProcess;
  /** One question at a time. */
  #last: Promise<unknown> = Promise.resolve();

  static async start(options: Options, size: { min: number; max: number }): Promise<CrowdHost> {
    const program = fileURLToPath(new URL("./host.js", import.meta.url));
    const child = fork(program, [JSON.stringify(options), JSON.stringify(size)], {
      execArgv: ["--expose-gc"],
    });
    await told(child, "started");
    return new CrowdHost(child);
  }

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  port(): Promise<number> {
    return this.#ask("port");
  }

  /** The bytes of its heap and of its buffers, after a garbage collection. */
  memory(): Promise<number> {
    return this.#ask("memory");
  }

  state(): Promise<HostState> {
    return this.#ask("state");
  }

  async close(): Promise<void> {
    if (!this.#child.connected) return;
    const exit = once(this.#child, "exit");
    await this.#ask("close");
    await exit;
  }

  #ask<T>(what: string): Promise<T> {
    const answer = this.#last.then(() => {
      this.#child.send(what);
      return told<T>(this.#child, what);
    });
    this.#last = answer.catch(() => {});
    return answer;
  }
}

async function told<T>(child: ChildProcess, what: string): Promise<T> {
  const died = new AbortController();
  const { signal } = died;
  try {
    const exit = once(child, "exit", { signal }).then(([code]) => {
      throw new Error(`The host has ended with ${code} before it answered "${what}".`);
    });
    const [message] = await Promise.race([once(child, "message", { signal }), exit]);
    return (message as { value: T }).value;
  } finally {
    died.abort();
  }
}
