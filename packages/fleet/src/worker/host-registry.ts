import { readFileSync } from "node:fs";
import { checkCli } from "hawser";
import type { Database } from "../database/database.js";

/** What `fleet.stats()` shows of a worker. */
export interface HostState {
  readonly slots: number;
  readonly active: number;
  readonly queues: readonly string[];
  readonly draining: boolean;
}

/** The row of a worker in the table of hosts. It is there as long as the worker is, and for a while after its death. */
export class HostRegistry {
  readonly #database: Database;
  readonly #name: string;
  readonly #cli: string | undefined;

  private constructor(database: Database, name: string, cli: string | undefined) {
    this.#database = database;
    this.#name = name;
    this.#cli = cli;
  }

  static async open(database: Database, name: string): Promise<HostRegistry> {
    // A profile may name another CLI, so that a missing one is no fault here.
    const { version } = await checkCli().catch(() => ({ version: undefined }));
    return new HostRegistry(database, name, version);
  }

  /**
   * Says that the worker is alive, and returns how many workers are, this one included. Removes the rows of hosts that
   * are gone for a day.
   */
  async write({ slots, active, queues, draining }: HostState): Promise<number> {
    const { schema } = this.#database;
    const { rows } = await this.#database.query<{ others: number }>(
      `with gone as (delete from ${schema}.host where seen_at < clock_timestamp() - interval '1 day')
       insert into ${schema}.host (name, slots, active, queues, hawser, cli, draining)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (name) do update set slots = excluded.slots, active = excluded.active,
         queues = excluded.queues, hawser = excluded.hawser, cli = excluded.cli, draining = excluded.draining,
         seen_at = clock_timestamp()
       returning (select count(*)::int from ${schema}.host
         where name <> $1 and seen_at > clock_timestamp() - interval '15 seconds') as others`,
      [this.#name, slots, active, queues.join(","), VERSION, this.#cli ?? null, draining],
    );
    return 1 + (rows[0]?.others ?? 0);
  }

  async remove(): Promise<void> {
    await this.#database.query(`delete from ${this.#database.schema}.host where name = $1`, [
      this.#name,
    ]);
  }
}

/** All packages carry the same version. */
const VERSION: string = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  }
).version;
