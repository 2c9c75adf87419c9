import { AsyncLocalStorage } from "node:async_hooks";
import type { Db } from "pg-boss";
import type { Queryable } from "../database/database.js";

/**
 * What pg-boss runs its statements on. Inside of `within()` that is the transaction of the caller, for every
 * statement: also for those that fill pg-boss's cache, which do not take its option `db`. On PGlite, which has one
 * connection, such a statement would otherwise wait for the transaction that waits for it.
 */
export class BossDatabase implements Db {
  readonly #outside: Queryable;
  readonly #transaction = new AsyncLocalStorage<Queryable>();

  constructor(outside: Queryable) {
    this.#outside = outside;
  }

  executeSql(text: string, values?: unknown[]): ReturnType<Db["executeSql"]> {
    const db = this.#transaction.getStore() ?? this.#outside;
    // An empty list of values would choose the protocol that takes one statement only.
    return values === undefined || values.length === 0 ? db.query(text) : db.query(text, values);
  }

  within<Value>(db: Queryable, work: () => Promise<Value>): Promise<Value> {
    return this.#transaction.run(db, work);
  }
}
