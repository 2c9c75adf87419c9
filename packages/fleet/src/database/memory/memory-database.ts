import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import type { PGlite, Transaction } from "@electric-sql/pglite";
import { HawserError } from "hawser";
import type { Channel, Database, Queryable } from "../database.js";
import { quoteName } from "../schema-name.js";

/** Turns a value into the text that Postgres reads, as `pg` does it: arrays, dates and objects too. */
const { prepareValue } = createRequire(import.meta.url)("pg/lib/utils.js") as {
  prepareValue: (value: unknown) => unknown;
};

interface Answer<Row> {
  rows: Row[];
  rowCount: number | null;
}

/** A `Database` on PGlite: one connection, in this program, for tests and trials. */
export class MemoryDatabase implements Database {
  readonly kind = "memory";
  readonly schema: string;
  readonly #name: string;
  readonly #pglite: PGlite;
  /** Set inside of a transaction, and open until it ends. */
  readonly #inside = new AsyncLocalStorage<{ isOpen: boolean }>();
  #closed: Promise<void> | undefined;

  constructor(pglite: PGlite, schema: string) {
    this.#pglite = pglite;
    this.#name = schema;
    this.schema = quoteName(schema);
  }

  async query<Row extends object = Record<string, unknown>>(
    text: string,
    values?: unknown[],
  ): Promise<Answer<Row>> {
    this.#throwIfClosed();
    // There is one connection. The statement would wait for the transaction, and the transaction for it.
    if (this.#inside.getStore()?.isOpen === true) {
      throw new Error(`Inside of a transaction, statements must use its own \`db\`: ${text}`);
    }
    try {
      return await run<Row>(this.#pglite, text, values);
    } catch (error) {
      // Several statements with BEGIN among them would leave the one connection in a transaction that has failed.
      if (values === undefined) await this.#pglite.exec("rollback");
      throw error;
    }
  }

  async transaction<Value>(work: (db: Queryable) => Promise<Value>): Promise<Value> {
    this.#throwIfClosed();
    if (this.#inside.getStore()?.isOpen === true) {
      throw new Error("A transaction inside of a transaction would wait for ever.");
    }
    const state = { isOpen: true };
    try {
      return await this.#pglite.transaction((transaction) =>
        this.#inside.run(state, () => work(queryableOf(transaction, state))),
      );
    } finally {
      state.isOpen = false;
    }
  }

  /** There is one connection, and no network that could be silent. */
  urgent(): Queryable {
    return this;
  }

  async listen(
    channel: Channel,
    onNotify: (payload: string | undefined) => void,
  ): Promise<() => void> {
    this.#throwIfClosed();
    let isEnded = false;
    const end = await this.#pglite.listen(`${this.#name}_${channel}`, (payload) => {
      if (!isEnded) onNotify(payload);
    });
    return () => {
      if (isEnded) return;
      isEnded = true;
      if (this.#closed === undefined) end().catch(() => undefined);
    };
  }

  async notify(db: Queryable, channel: Channel, payload = ""): Promise<void> {
    await db.query("select pg_notify($1, $2)", [`${this.#name}_${channel}`, payload]);
  }

  close(): Promise<void> {
    this.#closed ??= this.#pglite.close();
    return this.#closed;
  }

  #throwIfClosed(): void {
    if (this.#closed !== undefined) throw new HawserError("closed", "The database is closed.");
  }
}

function queryableOf(transaction: Transaction, state: { readonly isOpen: boolean }): Queryable {
  return {
    query: async <Row extends object>(text: string, values?: unknown[]) => {
      if (!state.isOpen) throw new HawserError("closed", "The transaction is over.");
      return await run<Row>(transaction, text, values);
    },
  };
}

/** Without values, the text may be several statements, as with `pg`: the rows of all of them are returned. */
async function run<Row>(
  connection: Pick<PGlite, "exec" | "query">,
  text: string,
  values: unknown[] | undefined,
): Promise<Answer<Row>> {
  if (values === undefined) {
    const results = await connection.exec(text);
    return {
      rows: results.flatMap(({ rows }) => rows as Row[]),
      rowCount: results.at(-1)?.rowCount ?? null,
    };
  }
  const { rows, rowCount } = await connection.query<Row>(text, values.map(prepareValue));
  return { rows: rows as Row[], rowCount: rowCount ?? null };
}
