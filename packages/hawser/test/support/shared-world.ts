import { afterAll, afterEach, beforeAll } from "vitest";
import type { Options } from "../../src/options/index.js";
import { createPool, type Pool } from "../../src/pool/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import {
  type IsolatedEnv,
  type IsolatedEnvOptions,
  isolatedEnv,
  type RecordedRequest,
  type ScriptEntry,
  SimulatedModel,
} from "../../src/testing/index.js";
import { PlayedScript } from "../../src/testing/model/reply-script.js";

/**
 * One simulated model and one environment for all tests of a block. Starting a CLI takes half a second
 * of a processor, so a block whose subject is not the start should share a process:
 *
 *     const shared = sharedWorld(path);
 *     it("…", async () => {
 *       shared.script("A bowline.");
 *       await complete("Name a knot.", { ...shared.options, pool: shared.pool() });
 *       expect(shared.calls[0]?.prompt).toContain("knot");
 *     });
 *
 * The tests of the block must not run concurrently. Use `world()` where a test needs fresh folders.
 */
export function sharedWorld(cliPath: string, env: IsolatedEnvOptions = {}): SharedWorld {
  const shared = new SharedWorld(cliPath, env);
  beforeAll(() => shared.start());
  afterEach(() => shared.endTest());
  afterAll(() => shared.close());
  return shared;
}

export class SharedWorld {
  readonly #cliPath: string;
  readonly #env: IsolatedEnvOptions;
  #script = new PlayedScript([]);
  #before = 0;
  #place: IsolatedEnv | undefined;
  #model: SimulatedModel | undefined;
  #pool: Pool | undefined;
  #session: Promise<Session> | undefined;

  constructor(cliPath: string, env: IsolatedEnvOptions) {
    this.#cliPath = cliPath;
    this.#env = env;
  }

  async start(): Promise<void> {
    this.#model = await SimulatedModel.start({ replies: (call) => this.#script.next(call) });
    this.#place = await isolatedEnv({ baseUrl: this.#model.url, ...this.#env });
  }

  /** What the model says in this test. Replies of an earlier test that were not asked for are dropped. */
  script(...replies: readonly ScriptEntry[]): void {
    this.#script = new PlayedScript(replies);
  }

  /** What the model was asked since the last test ended. */
  get calls(): readonly RecordedRequest[] {
    return this.model.calls.slice(this.#before);
  }

  /** The options that keep a call inside this world. */
  get options(): Options {
    const { cwd, env } = this.place;
    return { cliPath: this.#cliPath, cwd, env, inheritEnv: false };
  }

  /** A pool with one process, for calls that may follow each other on it. */
  pool(): Pool {
    this.#pool ??= createPool({ size: { min: 0, max: 1 } });
    return this.#pool;
  }

  /** One session for all tests of the block, opened by the first test that asks for it. */
  session(options: Options = {}): Promise<Session> {
    this.#session ??= openSession({ ...this.options, ...options });
    return this.#session;
  }

  get model(): SimulatedModel {
    if (this.#model === undefined) throw new Error("The world starts before the first test.");
    return this.#model;
  }

  get place(): IsolatedEnv {
    if (this.#place === undefined) throw new Error("The world starts before the first test.");
    return this.#place;
  }

  endTest(): void {
    this.#before = this.model.calls.length;
    this.#script = new PlayedScript([]);
  }

  async close(): Promise<void> {
    await (await this.#session?.catch(() => undefined))?.close();
    await this.#pool?.close();
    await this.#place?.dispose();
    await this.#model?.close();
  }
}
