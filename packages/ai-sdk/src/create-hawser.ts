import { type LanguageModelV4, NoSuchModelError, type ProviderV4 } from "@ai-sdk/provider";
import type { ModelName } from "hawser";
import { AgentModel, type AgentRun, type AgentSettings, ParkedTurns } from "./agent/index.js";
import { CompletionModel } from "./completion/completion-model.js";
import { PoolSource } from "./pool-source.js";
import { type HawserSettings, providerSettings } from "./settings.js";

/** A provider of the AI SDK. Call it with the name of a model: `hawser("sonnet")`. */
export interface HawserProvider extends ProviderV4, AsyncDisposable {
  (modelId: ModelName): LanguageModelV4;
  /** The model as one that answers a request: it has the tools that the AI SDK gives it, and no others. */
  languageModel(modelId: ModelName): LanguageModelV4;
  /**
   * The CLI's own agent as a model: its tools run in the CLI, and its questions of permission are approval requests.
   *
   * @example
   * ```ts
   * const { text } = await generateText({
   *   model: hawser.agent("sonnet", { cwd: "/srv/project", allowedTools: ["Read", "Grep"] }),
   *   prompt: "Which tests are slow?",
   * });
   * ```
   */
  agent(modelId: ModelName, settings?: AgentSettings): LanguageModelV4;
  /**
   * Ends all turns of agents, and closes the provider's own pool. A pool that was given to `createHawser()` stays open.
   */
  close(): Promise<void>;
}

/**
 * Makes a provider of the AI SDK whose models are answered by the Claude Code CLI.
 *
 * @example
 * ```ts
 * import { createHawser } from "@hawser/ai-sdk";
 * import { generateText } from "ai";
 *
 * const hawser = createHawser();
 * const { text } = await generateText({ model: hawser("sonnet"), prompt: "Name three knots." });
 * await hawser.close();
 * ```
 */
export function createHawser(settings: HawserSettings = {}): HawserProvider {
  const { pool, poolOptions, defaults } = providerSettings(settings);
  const pools = new PoolSource(pool, poolOptions);
  const languageModel = (modelId: ModelName) => new CompletionModel({ modelId, pools, defaults });
  const parked = new ParkedTurns<AgentRun>();
  const agent = (modelId: ModelName, own: AgentSettings = {}) =>
    new AgentModel({ modelId, pools, defaults, settings: own, parked });
  const close = async () => {
    await parked.close();
    await pools.close();
  };
  return Object.assign((modelId: ModelName) => languageModel(modelId), {
    specificationVersion: "v4" as const,
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
