import type { SessionOptions } from "hawser";
import { type IsolatedEnv, isolatedEnv, type RecordedRequest } from "hawser/testing";
import pg from "pg";
import { nativeCli } from "../../../../tools/native-cli.js";
import type { Fleet } from "../../src/fleet.js";
import { openFleet } from "../../src/open-fleet.js";
import type { Worker, WorkOptions } from "../../src/worker/worker.js";
import { type Agent, AgentModel } from "../support/agent-model.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

/** A database, a simulated model, an environment for the CLI, and workers in this process. */
export class WorkerWorld implements AsyncDisposable {
  readonly fleet: Fleet;
  readonly #model: AgentModel;
  readonly #place: IsolatedEnv;
  readonly #database: TestDatabase;
  readonly #workers: Worker[] = [];

  private constructor(fleet: Fleet, model: AgentModel, place: IsolatedEnv, database: TestDatabase) {
    this.fleet = fleet;
    this.#model = model;
    this.#place = place;
    this.#database = database;
  }

  static async create(): Promise<WorkerWorld> {
    const [database, model] = await Promise.all([createDatabase(), AgentModel.start()]);
    const place = await isolatedEnv({ baseUrl: model.url });
    const fleet = await openFleet({ database: database.url });
    return new WorkerWorld(fleet, model, place, database);
  }

  get databaseUrl(): string {
    return this.#database.url;
  }

  /** The name of a new agent, for the prompt of its run. */
  agent(agent: Agent): string {
    return this.#model.agent(agent);
  }

  requestsOf(name: string): RecordedRequest[] {
    return this.#model.requestsOf(name);
  }

  /** The options that keep a CLI inside of this world. */
  get profile(): SessionOptions {
    return {
      cliPath: nativeCli("@anthropic-ai/claude-code"),
      env: this.#place.env,
      inheritEnv: false,
      settingSources: [],
    };
  }

  /** Starts a worker with the profile "default". */
  async work(options: Partial<WorkOptions> = {}, profile: SessionOptions = {}): Promise<Worker> {
    const worker = await this.fleet.work({
      profiles: { default: { ...this.profile, ...profile } },
      slots: 2,
      ...options,
    });
    this.#workers.push(worker);
    return worker;
  }

  async rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.#database.url });
    await client.connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
    await this.fleet.close();
    await this.#place.dispose();
    await this.#model.close();
    await this.#database.dispose();
  }
}
