import type { PoolSource } from "./pool-source.js";
import type { ModelSettings } from "./settings.js";

/** What a model gets from its provider. */
export interface ModelContext {
  /** The name of the model as the user gave it. */
  readonly modelId: string;
  readonly pools: PoolSource;
  /** The settings of `createHawser()`. */
  readonly defaults: ModelSettings;
}
