import { HawserError } from "../errors/index.js";
import { checkPrompt, type QueryPrompt } from "./input.js";
import { type QueryRun, startRun } from "./query.js";
import type { Query, StartupParams, WarmQuery } from "./types/index.js";

/** Starts the CLI ahead of its prompt; resolves when it waits for nothing else. */
export async function startup(params: StartupParams = {}): Promise<WarmQuery> {
  const { options, initializeTimeoutMs } = params;
  const run = startRun(options, initializeTimeoutMs);
  await run.initializationResult();
  return new Warm(run);
}

class Warm implements WarmQuery {
  readonly #run: QueryRun;
  #used = false;

  constructor(run: QueryRun) {
    this.#run = run;
  }

  query(prompt: QueryPrompt): Query {
    checkPrompt(prompt);
    if (this.#used) throw new HawserError("already_consumed", "A warm query can be used once.");
    this.#used = true;
    this.#run.feed(prompt);
    return this.#run as unknown as Query;
  }

  close(): void {
    if (!this.#used) this.#run.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#used) await this.#run.return();
  }
}
