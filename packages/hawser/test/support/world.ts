import { onTestFinished } from "vitest";
import type { Options } from "../../src/options/index.js";
import { shutdown } from "../../src/process/index.js";
import {
  type IsolatedEnv,
  type IsolatedEnvOptions,
  isolatedEnv,
  type ReplyScript,
  SimulatedModel,
} from "../../src/testing/index.js";

export interface World extends IsolatedEnv {
  readonly model: SimulatedModel;
  /** The options that keep a call inside this world. */
  readonly options: Options;
}

/** A simulated model and an environment of its own for one test; both go when the test is over. */
export async function world(
  cliPath: string,
  replies: ReplyScript,
  env: IsolatedEnvOptions = {},
): Promise<World> {
  const model = await SimulatedModel.start({ replies });
  const place = await isolatedEnv({ baseUrl: model.url, ...env });
  onTestFinished(async () => {
    // A call that keeps no session has its answer before its process is gone.
    await shutdown();
    await place.dispose();
    await model.close();
  });
  const options = { cliPath, cwd: place.cwd, env: place.env, inheritEnv: false } as const;
  return { ...place, model, options };
}
