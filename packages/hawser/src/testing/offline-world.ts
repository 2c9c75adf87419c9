import { checkCli } from "../process/index.js";
import { fakeCli } from "./fake-cli.js";
import { isolatedEnv } from "./isolated-env.js";
import type { ReplyScript } from "./model/reply-script.js";
import { SimulatedModel } from "./model/simulated-model.js";
import { refuseUnknownOptions } from "./refuse-unknown-options.js";

/** Options of `offlineWorld()`. */
export interface OfflineWorldOptions {
  /**
   * The model's replies: one entry for each request, or a function of the request, as for
   * `SimulatedModel`.
   * @default a function that repeats the prompt: `You said: …`
   */
  readonly replies?: ReplyScript;
  /**
   * Path of the CLI to use. `offlineWorld()` rejects if this CLI cannot be run.
   * @default the CLI that a call would find, or a stand-in if there is none
   */
  readonly cliPath?: string | undefined;
  /**
   * A folder for the CLI's configuration and sessions. `dispose()` does not remove it.
   * @default a temporary folder, removed by `dispose()`
   */
  readonly configDir?: string | undefined;
}

/** The options that make a call run in an offline world. */
export interface OfflineOptions {
  readonly cliPath: string;
  readonly env: Record<string, string>;
  readonly inheritEnv: false;
}

/** An environment in which calls work without an account and without a network. */
export interface OfflineWorld {
  /** Pass these to `complete()`, `openSession()`, `createPool()` and so on, together with your own. */
  readonly options: OfflineOptions;
  /** The model that answers. Its `requests` holds every request. */
  readonly model: SimulatedModel;
  /** Whether the CLI is the real one. The stand-in speaks its protocol, but runs no built-in tools. */
  readonly isReal: boolean;
  /** The version of the real CLI; undefined for the stand-in, or if the CLI does not report one. */
  readonly cliVersion: string | undefined;
  /**
   * Closes the model and removes the temporary files. Rejects like `SimulatedModel.close()`: if a
   * request found no reply, or if a reply function threw.
   */
  dispose(): Promise<void>;
  /** Calls `dispose()` at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Sets up an environment that needs no account: the real CLI with a simulated model. If no CLI can be
 * run on this machine, a stand-in takes its place, so that your program runs everywhere.
 *
 * @example
 * ```ts
 * import { complete } from "hawser";
 * import { offlineWorld } from "hawser/testing";
 *
 * const world = await offlineWorld({ replies: ["Bowline, sheet bend, figure eight."] });
 * const { text } = await complete("Name three knots.", world.options);
 * await world.dispose();
 * ```
 */
export async function offlineWorld(options: OfflineWorldOptions = {}): Promise<OfflineWorld> {
  refuseUnknownOptions("offlineWorld()", options, OPTIONS);
  const { cliPath, configDir, replies = (call) => `You said: ${call.prompt}` } = options;
  const { runnable, path, version, problem } = await checkCli({ cliPath });
  // A CLI that the caller chose must not be replaced silently.
  if (!runnable && cliPath !== undefined) throw problem;
  const parts: { dispose(): Promise<void> }[] = [];
  const dispose = async () => {
    for (const part of parts.toReversed()) await part.dispose();
  };
  try {
    const model = await SimulatedModel.start({ replies });
    parts.push({ dispose: () => model.close() });
    const place = await isolatedEnv({
      baseUrl: model.url,
      ...(configDir === undefined ? {} : { configDir }),
    });
    parts.push(place);
    const standIn = runnable && path !== undefined ? undefined : await fakeCli(STAND_IN);
    if (standIn !== undefined) parts.push(standIn);
    return {
      options: { cliPath: standIn?.path ?? path ?? "", env: place.env, inheritEnv: false },
      model,
      isReal: standIn === undefined,
      cliVersion: standIn === undefined ? version : undefined,
      dispose,
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

const OPTIONS = { replies: true, cliPath: true, configDir: true } satisfies Record<
  keyof OfflineWorldOptions,
  true
>;

const STAND_IN = {
  states: true,
  sessions: true,
  steps: [{ on: "user", times: "always", do: [{ model: true }] }],
} as const;
