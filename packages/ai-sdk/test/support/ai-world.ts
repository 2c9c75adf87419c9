import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { createPool, type ModelName, type Options, type Pool, type PoolOptions } from "hawser";
import {
  type IsolatedEnv,
  type IsolatedEnvOptions,
  isolatedEnv,
  type RecordedRequest,
  type ReplyInput,
  type ScriptEntry,
  SimulatedModel,
} from "hawser/testing";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import { createHawser, type HawserProvider, type HawserSettings } from "../../src/index.js";
import { checkedModel, type SeenStream, streamProblems } from "./checked-model.js";

export interface AiWorldOptions extends Omit<HawserSettings, "pool" | "poolOptions" | "env"> {
  readonly env?: IsolatedEnvOptions;
  /** @default { size: { min: 0, max: 1 } } */
  readonly pool?: PoolOptions;
}

/**
 * One simulated model, one isolated environment, one pool and one provider for all tests of a file:
 *
 *     const world = aiWorld();
 *     it("...", async () => {
 *       world.script("A bowline.");
 *       const { text } = await generateText({ model: world.model("sonnet"), prompt: "Name a knot." });
 *     });
 *
 * The tests of the file must not run concurrently. After each test, the grammar of every stream is checked.
 */
export function aiWorld(options: AiWorldOptions = {}): AiWorld {
  // The AI SDK would print each warning. The tests read them from the results.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const world = new AiWorld(options);
  beforeAll(() => world.start());
  afterEach(() => world.endTest());
  afterAll(() => world.close());
  return world;
}

export class AiWorld {
  readonly #options: AiWorldOptions;
  readonly #script: ScriptEntry[] = [];
  readonly #seen: SeenStream[] = [];
  #before = 0;
  #started: Started | undefined;

  constructor(options: AiWorldOptions = {}) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { env, pool: poolOptions, ...settings } = this.#options;
    const model = await SimulatedModel.start({ replies: (call) => this.#next(call) });
    const place = await isolatedEnv({ baseUrl: model.url, ...env });
    const pool = createPool({ size: { min: 0, max: 1 }, ...poolOptions });
    this.#started = { model, place, pool, hawser: undefined };
    const hawser = createHawser({ ...this.cliOptions, ...settings, pool });
    this.#started = { model, place, pool, hawser };
  }

  /** A model whose streams are checked after the test. */
  model(modelId: ModelName = "sonnet"): LanguageModelV4 {
    return checkedModel(this.hawser(modelId), this.#seen);
  }

  /** A given model of this world, whose streams are checked after the test. */
  checked(model: LanguageModelV4): LanguageModelV4 {
    return checkedModel(model, this.#seen);
  }

  /** What the model says in this test. Replies of an earlier test that were not asked for are dropped. */
  script(...replies: readonly ScriptEntry[]): void {
    this.#script.splice(0, this.#script.length, ...replies);
  }

  /** What the model was asked since the last test ended. */
  get calls(): readonly RecordedRequest[] {
    return this.simulated.calls.slice(this.#before);
  }

  /** The body of a request of this test. */
  asked(at = 0): AskedBody {
    const call = this.calls[at];
    if (call === undefined) throw new Error(`The model got ${this.calls.length} requests.`);
    return call.body as AskedBody;
  }

  /** The streams of this test. */
  get streams(): readonly SeenStream[] {
    return this.#seen;
  }

  get simulated(): SimulatedModel {
    return this.#world.model;
  }

  get pool(): Pool {
    return this.#world.pool;
  }

  get place(): IsolatedEnv {
    return this.#world.place;
  }

  get hawser(): HawserProvider {
    const { hawser } = this.#world;
    if (hawser === undefined) throw new Error("The world starts before the first test.");
    return hawser;
  }

  /** The options that keep a call of `hawser` inside this world. */
  get cliOptions(): Pick<Options, "cliPath" | "cwd" | "env" | "inheritEnv"> {
    const { cwd, env } = this.place;
    return { cliPath: nativeCli("@anthropic-ai/claude-code"), cwd, env, inheritEnv: false };
  }

  /** Resolves with the next request that the model gets. */
  nextCall(): Promise<RecordedRequest> {
    const before = this.simulated.requests.length;
    return this.simulated.waitFor(({ kind, number }) => kind === "call" && number > before);
  }

  /** Waits until the pool has no process that serves or is reset. */
  async settled(): Promise<void> {
    for (;;) {
      const { serving, resetting } = this.pool.stats().processes;
      if (serving + resetting === 0) return;
      await sleep(5);
    }
  }

  /** Checks the streams, and forgets the replies that are left and the calls so far. */
  async endTest(): Promise<void> {
    // A process whose answer was cut off may still send a request.
    await this.settled();
    this.#before = this.simulated.calls.length;
    this.#script.length = 0;
    const problems = streamProblems(this.#seen.splice(0));
    expect(problems).toEqual([]);
  }

  async close(): Promise<void> {
    const { hawser, pool, place, model } = this.#world;
    await hawser?.close();
    await pool.close();
    await place.dispose();
    await model.close();
  }

  get #world(): Started {
    if (this.#started === undefined) throw new Error("The world starts before the first test.");
    return this.#started;
  }

  async #next(call: RecordedRequest): Promise<ReplyInput | undefined> {
    const [entry] = this.#script;
    const isAlways = typeof entry === "object" && "always" in entry;
    if (!isAlways) this.#script.shift();
    const source = isAlways ? entry.always : entry;
    return typeof source === "function" ? source(call) : (source as ReplyInput | undefined);
  }
}

/** What tests read of a request to the API. */
export interface AskedBody {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string; readonly description: string }[];
  readonly thinking?: { readonly type: string };
  readonly output_config?: { readonly effort?: string };
}

interface Started {
  readonly model: SimulatedModel;
  readonly place: IsolatedEnv;
  readonly pool: Pool;
  readonly hawser: HawserProvider | undefined;
}
