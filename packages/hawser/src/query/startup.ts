import { callerStack, HawserError, withCaller } from "../base/index.js";
import { checkPrompt, type QueryPrompt } from "./prompt-lines.js";
import { type QueryRun, startRun } from "./query.js";
import type { Query, StartupParams, WarmQuery } from "./types/index.js";

/**
 * Starts the CLI before its prompt is known. Resolves when the CLI is ready for the prompt.
 *
 * @example
 * ```ts
 * import { startup } from "hawser";
 *
 * const warm = await startup({ options: { model: "haiku" } });
 * for await (const message of warm.query("Hello.")) console.log(message.type);
 * ```
 */
export async function startup(params: StartupParams = {}): Promise<WarmQuery> {
  const caller = callerStack();
  const { options, initializeTimeoutMs } = params;
  const run = startRun(options, initializeTimeoutMs);
  try {
    await run.initializationResult();
  } catch (error) {
    throw withCaller(await run.whyEnded(error), caller);
  }
  return new PrestartedQuery(run);
}

class PrestartedQuery implements WarmQuery {
  readonly #run: QueryRun;
  #used = false;
  #closed = false;

  constructor(run: QueryRun) {
    this.#run = run;
  }

  query(prompt: QueryPrompt): Query {
    checkPrompt(prompt);
    if (this.#closed) throw new HawserError("closed", "WarmQuery is closed.");
    if (this.#used) {
      throw new HawserError("already_consumed", "WarmQuery.query() can only be called once");
    }
    this.#used = true;
    this.#run.feed(prompt);
    return this.#run as unknown as Query;
  }

  close(): void {
    this.#closed = true;
    if (!this.#used) this.#run.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    if (!this.#used) await this.#run.return();
  }
}
