import { type LanguageModelV3, NoSuchModelError, type ProviderV3 } from "@ai-sdk/provider";
import type { ModelName } from "hawser";
import type { AgentSettings } from "../agent/agent-settings.js";
import { createHawser as createHawserV4 } from "../create-hawser.js";
import type { HawserSettings } from "../settings.js";
import { toV3 } from "./to-v3.js";

/** A provider for `ai` 6. Call it with the name of a model: `hawser("sonnet")`. */
export interface HawserProviderV3 extends ProviderV3, AsyncDisposable {
  (modelId: ModelName): LanguageModelV3;
  /** The model as one that answers a request: it has the tools that the AI SDK gives it, and no others. */
  languageModel(modelId: ModelName): LanguageModelV3;
  /** The CLI's own agent as a model: its tools run in the CLI, and its questions of permission are approval requests. */
  agent(modelId: ModelName, settings?: AgentSettings): LanguageModelV3;
  /**
   * Ends all turns of agents, and closes the provider's own pool. A pool that was given to `createHawser()` stays open.
   */
  close(): Promise<void>;
}

/**
 * `createHawser()` for `ai` 6: the same provider with the interface V3 of its models. `ai` 6 has no setting
 * `reasoning`; use `thinking` and `effort` in `providerOptions.hawser`.
 *
 * @example
 * ```ts
 * import { createHawser } from "@hawser/ai-sdk/v3";
 *
 * const hawser = createHawser();
 * const model = hawser("sonnet");
 * ```
 */
export function createHawser(settings: HawserSettings = {}): HawserProviderV3 {
  const provider = createHawserV4(settings);
  const languageModel = (modelId: ModelName) => toV3(provider.languageModel(modelId));
  const agent = (modelId: ModelName, own?: AgentSettings) => toV3(provider.agent(modelId, own));
  const close = () => provider.close();
  return Object.assign((modelId: ModelName) => languageModel(modelId), {
    specificationVersion: "v3" as const,
    languageModel,
    agent,
    embeddingModel: noSuchModel("embeddingModel"),
    imageModel: noSuchModel("imageModel"),
    close,
    [Symbol.asyncDispose]: close,
  });
}

function noSuchModel(modelType: "embeddingModel" | "imageModel"): (modelId: string) => never {
  return (modelId) => {
    throw new NoSuchModelError({ modelId, modelType });
  };
}
