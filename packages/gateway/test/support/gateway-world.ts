import { setTimeout as sleep } from "node:timers/promises";
import { createPool, type Options, type Pool, type PoolOptions } from "hawser";
import {
  type IsolatedEnv,
  type IsolatedEnvOptions,
  isolatedEnv,
  type RecordedRequest,
  type ReplyInput,
  type ScriptEntry,
  SimulatedModel,
} from "hawser/testing";
import { afterAll, afterEach, beforeAll } from "vitest";
import { nativeCli } from "../../../../tools/native-cli.js";
import { createGateway, type Gateway, type GatewayOptions } from "../../src/gateway.js";
import type { Exchange } from "../../src/http/exchange.js";
import { anonymousTenant } from "../../src/tenants/anonymous-tenant.js";

export interface GatewayWorldOptions extends Omit<GatewayOptions, "pool" | "options"> {
  readonly env?: IsolatedEnvOptions;
  /** @default { size: { min: 0, max: 1 } } */
  readonly pool?: PoolOptions;
  readonly options?: Options;
}

/**
 * One simulated model, one isolated environment, one pool and one gateway for all tests of a file or block:
 *
 *     const world = gatewayWorld();
 *     it("...", async () => {
 *       world.script("A bowline.");
 *       const response = await world.post("/v1/messages", { ... });
 *       expect(world.calls[0]?.prompt).toContain("knot");
 *     });
 *
 * The tests of the block must not run concurrently.
 */
export function gatewayWorld(options: GatewayWorldOptions = {}): GatewayWorld {
  const world = new GatewayWorld(options);
  beforeAll(() => world.start());
  afterEach(() => world.endTest());
  afterAll(() => world.close());
  return world;
}

export class GatewayWorld {
  readonly #options: GatewayWorldOptions;
  readonly #script: ScriptEntry[] = [];
  #before = 0;
  #started: Started | undefined;

  constructor(options: GatewayWorldOptions = {}) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { env, pool: poolOptions, options, ...rest } = this.#options;
    const model = await SimulatedModel.start({ replies: (call) => this.#next(call) });
    const place = await isolatedEnv({ baseUrl: model.url, ...env });
    const pool = createPool({ size: { min: 0, max: 1 }, ...poolOptions });
    this.#started = { model, place, pool, gateway: undefined };
    const gateway = createGateway({ ...rest, pool, options: { ...this.cliOptions, ...options } });
    this.#started = { model, place, pool, gateway };
  }

  /** What the model says in this test. Replies of an earlier test that were not asked for are dropped. */
  script(...replies: readonly ScriptEntry[]): void {
    this.#script.splice(0, this.#script.length, ...replies);
  }

  /** What the model was asked since the last test ended. */
  get calls(): readonly RecordedRequest[] {
    return this.model.calls.slice(this.#before);
  }

  get model(): SimulatedModel {
    return this.#world.model;
  }

  get pool(): Pool {
    return this.#world.pool;
  }

  get place(): IsolatedEnv {
    return this.#world.place;
  }

  get gateway(): Gateway {
    const { gateway } = this.#world;
    if (gateway === undefined) throw new Error("The world starts before the first test.");
    return gateway;
  }

  /** The options that keep a call of `hawser` inside this world. */
  get cliOptions(): Options {
    const { cwd, env } = this.place;
    return { cliPath: nativeCli("@anthropic-ai/claude-code"), cwd, env, inheritEnv: false };
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return this.gateway.fetch(new Request(`http://localhost${path}`, init));
  }

  post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return this.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Resolves with the next request that the model gets. */
  nextCall(): Promise<RecordedRequest> {
    const before = this.model.requests.length;
    return this.model.waitFor(({ kind, number }) => kind === "call" && number > before);
  }

  /** Waits until the pool has no process that serves or is reset. */
  async settled(): Promise<void> {
    for (;;) {
      const { serving, resetting } = this.pool.stats().processes;
      if (serving + resetting === 0) return;
      await sleep(5);
    }
  }

  /** Forgets the replies that are left, and the calls so far. */
  async endTest(): Promise<void> {
    // A process whose answer was cut off may still send a request.
    await this.settled();
    this.#before = this.model.calls.length;
    this.#script.length = 0;
  }

  async close(): Promise<void> {
    const { gateway, pool, place, model } = this.#world;
    await gateway?.close();
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

interface Started {
  readonly model: SimulatedModel;
  readonly place: IsolatedEnv;
  readonly pool: Pool;
  readonly gateway: Gateway | undefined;
}

/** An exchange without a client, for tests of handlers. */
export function testExchange(options: Options = {}): Exchange {
  const controller = new AbortController();
  const ended: (() => void)[] = [];
  return {
    id: "req_test",
    tenant: anonymousTenant(options),
    signal: controller.signal,
    record: {},
    abort: () => controller.abort(),
    end: () => {
      for (const listener of ended.splice(0)) listener();
    },
    onEnd: (listener) => void ended.push(listener),
    keepBodyFor: () => {},
    bodyUnused: Promise.resolve(),
  };
}
