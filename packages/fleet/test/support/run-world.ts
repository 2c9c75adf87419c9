import { randomUUID } from "node:crypto";
import { createTenants } from "../../src/accounting/create-tenants.js";
import type { Tenants } from "../../src/accounting/tenants.js";
import type { Database } from "../../src/database/database.js";
import { openDatabase } from "../../src/database/open-database.js";
import type { FleetParts } from "../../src/engine/fleet-parts.js";
import { openEngine } from "../../src/engine/open-engine.js";
import type { Claim, Claims, SegmentEnd } from "../../src/runs/claims.js";
import { createClaims } from "../../src/runs/create-claims.js";
import { createRun, type RunParts } from "../../src/runs/create-run.js";
import type { Run, SubmitOptions } from "../../src/runs/run.js";
import { RunWatch } from "../../src/runs/run-watch.js";
import { submitRun } from "../../src/runs/submit-run.js";
import { createDatabase } from "./postgres.js";

/** One program that has opened the fleet, without a worker: a test claims and settles by hand. */
export interface RunProgram extends AsyncDisposable {
  readonly parts: RunParts;
  readonly database: Database;
  readonly claims: Claims;
  readonly tenants: Tenants;
  submit(options?: SubmitOptions, prompt?: string): Promise<Run>;
  run(id: string): Run;
  /** Claims a run of the queue "default". Fails if there is none. */
  claim(host?: string): Promise<Claim>;
  tryClaim(host?: string): Promise<Claim | undefined>;
  rows<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
}

/** A database of its own, and any number of programs that use it. */
export interface RunWorld extends AsyncDisposable {
  readonly url: string;
  /** Opens a program, whose database is reached by another URL if one is given. */
  open(url?: string): Promise<RunProgram>;
}

export async function createRunWorld(): Promise<RunWorld> {
  const { url, dispose } = await createDatabase();
  const programs: RunProgram[] = [];
  return {
    url,
    open: async (other = url) => {
      const program = await openProgram(other);
      programs.push(program);
      return program;
    },
    [Symbol.asyncDispose]: async () => {
      for (const program of programs) await program[Symbol.asyncDispose]();
      await dispose();
    },
  };
}

async function openProgram(url: string): Promise<RunProgram> {
  const database = await openDatabase(url);
  const engine = await openEngine(database);
  const parts: FleetParts = { database, engine, leaseMs: 10_000, logger: undefined };
  const runParts: RunParts = { ...parts, watch: new RunWatch(database) };
  const claims = createClaims(parts);
  const tryClaim = (host = "host-a") => claims.claim({ host, queues: ["default"] });
  let closed: Promise<void> | undefined;
  return {
    parts: runParts,
    database,
    claims,
    tenants: createTenants(parts),
    submit: async (options = {}, prompt = "Say hello.") =>
      createRun(runParts, await submitRun(parts, prompt, options)),
    run: (id) => createRun(runParts, id),
    claim: async (host) => {
      const claim = await tryClaim(host);
      if (claim === undefined) throw new Error("There is nothing to claim.");
      return claim;
    },
    tryClaim,
    rows: async <Row extends object>(sql: string, values: unknown[] = []) =>
      (await database.query<Row>(sql, values)).rows,
    [Symbol.asyncDispose]: () => {
      closed ??= (async () => {
        await runParts.watch.close();
        await engine.close();
        await database.close();
      })();
      return closed;
    },
  };
}

/** The end of a segment that went well. */
export function doneWith(text: string, costUsd: number | undefined = 0.01): SegmentEnd {
  return {
    type: "done",
    costUsd,
    usage: {
      model: "claude-test",
      inputTokens: 100,
      outputTokens: 20,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      requests: 1,
    },
    workedMs: 5,
    outcome: { text, stop: "completed", usage: {} as never },
  };
}

/** The end of a segment that failed. */
export function failedWith(code: "api_error" | "refusal" = "api_error"): SegmentEnd {
  return {
    type: "failed",
    costUsd: 0.01,
    usage: undefined,
    workedMs: 5,
    error: { code, message: "It did not work." },
  };
}

/** Makes a host look silent for longer than the lease, and gives its jobs back, as workers do. */
export async function silence(program: RunProgram, claim: Claim): Promise<void> {
  const { database, engine } = program.parts;
  await database.query(
    `update "hawser_boss".job set heartbeat_on = heartbeat_on - interval '11 seconds' where id = $1`,
    [claim.job.id],
  );
  await database.query(
    `update ${database.schema}.session set expires_at = expires_at - interval '11 seconds' where id = $1`,
    [claim.run.sessionId],
  );
  await engine.recover();
}

/** The id of a run that does not exist. */
export function unknownId(): string {
  return randomUUID();
}
