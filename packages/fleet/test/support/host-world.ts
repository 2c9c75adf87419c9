import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RecordedRequest } from "hawser/testing";
import pg from "pg";
import type { Fleet } from "../../src/fleet.js";
import { openFleet } from "../../src/open-fleet.js";
import type { Run } from "../../src/runs/run.js";
import { type Agent, AgentModel } from "./agent-model.js";
import { Host, type HostOptions } from "./host.js";
import { createDatabase } from "./postgres.js";

/** A database, a simulated model, and hosts that are processes of their own. This process only submits and looks. */
export class HostWorld implements AsyncDisposable {
  readonly fleet: Fleet;
  readonly url: string;
  /** A folder that all hosts share. */
  readonly folder: string;
  readonly #model: AgentModel;
  readonly #dispose: () => Promise<void>;
  readonly #hosts: Host[] = [];

  private constructor(parts: {
    readonly fleet: Fleet;
    readonly url: string;
    readonly model: AgentModel;
    readonly dispose: () => Promise<void>;
  }) {
    this.fleet = parts.fleet;
    this.url = parts.url;
    this.#model = parts.model;
    this.#dispose = parts.dispose;
    this.folder = mkdtempSync("/tmp/hawser-hosts-");
  }

  /** With the URL of a server of its own, or with a fresh database of the test run. */
  static async create(given?: string): Promise<HostWorld> {
    const database =
      given === undefined ? await createDatabase() : { url: given, dispose: async () => {} };
    const fleet = await openFleet({ database: database.url });
    const { url, dispose } = database;
    return new HostWorld({ fleet, url, dispose, model: await AgentModel.start() });
  }

  get modelUrl(): string {
    return this.#model.url;
  }

  agent(agent: Agent): string {
    return this.#model.agent(agent);
  }

  requestsOf(name: string): RecordedRequest[] {
    return this.#model.requestsOf(name);
  }

  get calls(): readonly RecordedRequest[] {
    return this.#model.calls;
  }

  /** Starts a host that allows Bash, unless its options say otherwise. */
  async host(name: string, options: Partial<HostOptions> = {}): Promise<Host> {
    const host = await Host.start({
      name,
      database: this.url,
      modelUrl: this.#model.url,
      folder: this.folder,
      profile: { allowedTools: ["Bash"] },
      ...options,
    });
    this.#hosts.push(host);
    return host;
  }

  /** A file outside of all workspaces, in which tools count themselves. */
  trace(name: string): { readonly path: string; readonly lines: () => string[] } {
    const path = join(this.folder, `trace-${name}`);
    const lines = () =>
      existsSync(path)
        ? readFileSync(path, "utf8")
            .split("\n")
            .filter((line) => line !== "")
        : [];
    return { path, lines };
  }

  async rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.dispose()));
    await this.fleet.close();
    await this.#model.close().catch(() => {}); // Requests of killed hosts were cut off.
    await this.#dispose();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Resolves when the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

/** When a segment of a run began, by the database's clock, which is this machine's. */
export async function beganAt(world: HostWorld, run: Run, segment: number): Promise<number> {
  for (;;) {
    const [row] = await world.rows<{ began_at: Date }>(
      "select began_at from hawser.segment where run_id = $1 and segment = $2",
      [run.id, segment],
    );
    if (row !== undefined) return row.began_at.getTime();
    await sleep(50);
  }
}

/**
 * Resolves when the tool call of a run is in its transcript. A host that is lost before does not leave the call behind,
 * so that the next segment makes it anew.
 */
export async function callStored(world: Pick<HostWorld, "rows">, { id }: Run): Promise<void> {
  const sql = `select 1 from hawser.entry join hawser.run using (session_id)
    where run.id = $1 and entry.body like '%"tool_use"%'`;
  await until(async () => (await world.rows(sql, [id])).length > 0);
}
