import { checkCli } from "../process/index.js";
import { fakeCli } from "./fake-cli.js";
import { isolatedEnv } from "./isolated-env.js";
import type { ReplyScript } from "./model/reply-script.js";
import { SimulatedModel } from "./model/simulated-model.js";
import { refuseUnknownOptions } from "./refuse-unknown-options.js";

/** What answers, and where. */
export interface OfflineWorldOptions {
  /**
   * What the model says: one entry for each call, or a function of the call, as for `SimulatedModel`.
   * Unless given, the model repeats the prompt.
   */
  readonly replies?: ReplyScript;
  /** The CLI to use. Unless given, the one that a call would find; a stand-in if there is none. */
  readonly cliPath?: string | undefined;
  /** A folder for the CLI's configuration and sessions that outlives this world. */
  readonly configDir?: string | undefined;
}

/** The options that keep a call in an offline world. */
export interface OfflineOptions {
  readonly cliPath: string;
  readonly env: Record<string, string>;
  readonly inheritEnv: false;
}

/** A place where calls are answered without an account and without a network. */
export interface OfflineWorld {
  /** For `complete()`, `openSession()`, `createPool()` and the others; yours go beside them. */
  readonly options: OfflineOptions;
  /** The model that answers; it has every request. */
  readonly model: SimulatedModel;
  /** Whether the CLI is the real one. The stand-in speaks its protocol, but runs no built-in tools. */
  readonly isReal: boolean;
  /** The version of the real CLI; undefined for the stand-in, or if the CLI does not tell it. */
  readonly cliVersion: string | undefined;
  /**
   * Removes what belongs to the world. Throws as `SimulatedModel.close()`: if a call found no reply,
   * or a reply function threw.
   */
  dispose(): Promise<void>;
  /** Calls `dispose()` at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes a world without an account: the real CLI on a simulated model, or, where no CLI can be run, a
 * stand-in for the CLI on the same model. A program runs in it on every machine.
 *
 * @example
 * ```ts
 * const world = await offlineWorld({ replies: ["Bowline, sheet bend, figure eight."] });
 * const { text } = await complete("Name three knots.", world.options);
 * await world.dispose();
 * ```
 */
export async function offlineWorld(options: OfflineWorldOptions = {}): Promise<OfflineWorld> {
  refuseUnknownOptions("offlineWorld()", options, OPTIONS);
  const { cliPath, configDir, replies = (call) => `You said: ${call.prompt}` } = options;
  const { runnable, path, version, problem } = await checkCli({ cliPath });
  // A CLI that was asked for by name is not replaced in silence.
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
