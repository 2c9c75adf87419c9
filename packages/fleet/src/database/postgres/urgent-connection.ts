import { HawserError } from "hawser";
import type { Client, Pool } from "pg";
import { settlesWithin } from "../settles-within.js";
import { connectWithin, destroyClient, endWithin } from "./bounded-client.js";

interface UrgentParts {
  readonly pool: Pool;
  /** Makes a client that is not connected yet. */
  readonly createClient: () => Client;
}

interface Statement {
  readonly text: string;
  readonly values?: unknown[];
}

/**
 * One connection for statements that must not wait for a place in the pool. It is opened for the first of them. After
 * any failure the next statement opens another one, because a connection that went silent stays silent.
 * It does not keep the program alive.
 */
export class UrgentConnection {
  readonly #parts: UrgentParts;
  #client: Client | undefined;
  #lastAnswer: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: UrgentParts) {
    this.#parts = parts;
  }

  /** Waits for earlier statements, and then takes at most `limitMs`, with the time that a new connection takes. */
  query<Row extends object>(
    limitMs: number,
    statement: Statement,
  ): Promise<{ rows: Row[]; rowCount: number | null }> {
    const answer = this.#lastAnswer.then(() => this.#run<Row>(limitMs, statement));
    this.#lastAnswer = answer.catch(() => undefined);
    return answer;
  }

  async close(limitMs: number): Promise<void> {
    this.#isClosed = true;
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    (client as Client & { ref(): void }).ref();
    await endWithin(client, limitMs);
  }

  async #run<Row extends object>(limitMs: number, statement: Statement) {
    const until = performance.now() + limitMs;
    const restMs = () => Math.max(1, until - performance.now());
    const client = await this.#connected(limitMs).catch((error: unknown) => {
      if (this.#isClosed || performance.now() >= until) throw error;
      return undefined;
    });
    // The server may refuse a further connection while those of the pool still work.
    if (client === undefined) return await this.#runInPool<Row>(restMs(), statement);
    try {
      return await client.query<Row>(limited(statement, restMs()));
    } catch (error) {
      this.#drop(client);
      throw error;
    }
  }

  async #runInPool<Row extends object>(limitMs: number, statement: Statement) {
    // The pool limits the statement, but not the wait for a free connection.
    const answer = this.#parts.pool.query<Row>(limited(statement, limitMs));
    if (!(await settlesWithin(answer, limitMs))) throw new Error("timeout expired");
    return await answer;
  }

  async #connected(limitMs: number): Promise<Client> {
    if (this.#client !== undefined) return this.#client;
    if (this.#isClosed) throw new HawserError("closed", "The database is closed.");
    const client = this.#parts.createClient();
    client.on("error", () => this.#drop(client));
    client.on("end", () => this.#drop(client));
    await connectWithin(client, limitMs);
    if (this.#isClosed) {
      destroyClient(client);
      throw new HawserError("closed", "The database is closed.");
    }
    (client as Client & { unref(): void }).unref();
    this.#client = client;
    return client;
  }

  #drop(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    destroyClient(client);
  }
}

/** `query_timeout` is missing in the types of pg. It makes the client give up, also if the network is silent. */
function limited(statement: Statement, limitMs: number): Statement & { query_timeout: number } {
  return { ...statement, query_timeout: limitMs };
}
