import type { ModelEntry } from "../gateway-core.js";

/** `GET /v1/models` in OpenAI's format. */
export interface OpenAiModelList {
  readonly object: "list";
  readonly data: readonly OpenAiModel[];
}

export interface OpenAiModel {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
}

export function openAiModelList(models: readonly ModelEntry[]): OpenAiModelList {
  return { object: "list", data: models.map(openAiModel) };
}

/** The gateway does not know when a model was made, so `created` is always 0. */
export function openAiModel({ id }: ModelEntry): OpenAiModel {
  const owner = id.startsWith("agent:") ? "hawser" : "anthropic";
  return { id, object: "model", created: 0, owned_by: owner };
}
