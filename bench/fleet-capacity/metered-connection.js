// One connection to Postgres that measures what the operations on it cost: the time of the caller, the processor time of
// the server's process behind the connection, the round trips, and how the operation commits.
import { readFileSync } from "node:fs";
import pg from "pg";
import { atRest } from "../hosts/at-rest.js";
import { median } from "../statistics.js";

/** Opens a pool of one connection, so that one process of the server does all the work. */
export async function openMeteredConnection(config) {
  const pool = new pg.Pool({ ...config, max: 1 });
  const client = await pool.connect();
  const {
    rows: [{ pid }],
  } = await client.query("select pg_backend_pid() as pid");
  const statements = [];
  const query = client.query.bind(client);
  client.query = (text, ...rest) => {
    statements.push(typeof text === "string" ? text : (text?.text ?? ""));
    return query(text, ...rest);
  };
  client.release();
  return new MeteredConnection(pool, pid, statements);
}

class MeteredConnection {
  pool;
  #pid;
  #statements;

  constructor(pool, pid, statements) {
    this.pool = pool;
    this.#pid = pid;
    this.#statements = statements;
  }

  /**
   * Does an operation several times, one after the other. The commits do not wait for the disk, because that time is
   * measured apart: commits of several connections share it.
   */
  async measure(times, operation) {
    await atRest();
    await this.pool.query("set synchronous_commit = off");
    await operation(); // The first one fills caches and prepares plans.
    const walls = [];
    const written = await this.#walPosition();
    this.#statements.length = 0;
    const before = { database: processorMs(this.#pid), host: process.cpuUsage() };
    for (let i = 0; i < times; i++) {
      const began = performance.now();
      await operation();
      walls.push(performance.now() - began);
    }
    const { user, system } = process.cpuUsage(before.host);
    const databaseMs = (processorMs(this.#pid) - before.database) / times;
    const statements = [...this.#statements];
    const walBytes = ((await this.#walPosition()) - written) / times;
    await this.pool.query("set synchronous_commit = on");
    return {
      wallMs: median(walls),
      hostMs: (user + system) / 1_000 / times,
      databaseMs,
      roundTrips: Math.round(statements.length / times),
      walBytes,
      commit: commitOf(statements, walBytes),
    };
  }

  /** How many bytes the server has written to its log so far. */
  async #walPosition() {
    const { rows } = await this.pool.query(
      "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text as bytes",
    );
    return Number(rows[0].bytes);
  }

  /** How long a commit waits for the disk: the median of a commit that waits, less that of one that does not. */
  async measureFlush(times) {
    await this.pool.query("create table if not exists flushed (id int primary key, n int)");
    await this.pool.query("insert into flushed values (1, 0) on conflict do nothing");
    const waits = { on: [], off: [] };
    for (let i = 0; i < times; i++) {
      for (const setting of ["off", "on"]) {
        await this.pool.query(`set synchronous_commit = ${setting}`);
        const began = performance.now();
        await this.pool.query("update flushed set n = n + 1");
        waits[setting].push(performance.now() - began);
      }
    }
    await this.pool.query("drop table flushed");
    return median(waits.on) - median(waits.off);
  }

  close() {
    return this.pool.end();
  }
}

/** The time that a process has spent on a processor. */
function processorMs(pid) {
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

/**
 * `none`: nothing is written. `plain`: a commit. `notify`: a commit with NOTIFY inside of the transaction.
 * `notify_after`: NOTIFY is a statement of its own after the commit.
 */
function commitOf(statements, walBytes) {
  if (walBytes < LEAST_WAL_BYTES) return "none";
  const notify = statements.findIndex((text) => text.includes("pg_notify"));
  if (notify < 0) return "plain";
  const next = statements.slice(notify).find((text) => /^(begin|commit)/i.test(text));
  return next !== undefined && /^commit/i.test(next) ? "notify" : "notify_after";
}

/** The record of a commit alone is larger. Other processes of the server write a little at any time. */
const LEAST_WAL_BYTES = 30;
