import { Hono } from "hono";
import { modelNotFound } from "./answer/resolve-model.js";
import { shapeOf } from "./errors/error-response.js";
import type { GatewayCore, ModelEntry } from "./gateway-core.js";
import type { Env } from "./http/exchange.js";
import { openAiModel, openAiModelList } from "./openai/model-list.js";

/** `GET /v1/models`, in the format of the client: Anthropic's clients send the header `anthropic-version`. */
export function modelsRoute(core: GatewayCore): Hono<Env> {
  const app = new Hono<Env>();
  app.get("/v1/models", (c) => {
    const models = core.models(c.get("exchange"));
    return c.json(shapeOf(c) === "anthropic" ? anthropicList(models) : openAiModelList(models));
  });
  app.get("/v1/models/:id{.+}", (c) => {
    const id = c.req.param("id");
    const model = core.models(c.get("exchange")).find((each) => each.id === id);
    if (model === undefined) throw modelNotFound(id);
    return c.json(shapeOf(c) === "anthropic" ? anthropicModel(model) : openAiModel(model));
  });
  return app;
}

function anthropicList(models: readonly ModelEntry[]): object {
  return {
    data: models.map(anthropicModel),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

/** The gateway does not know when a model was released, so that the date is always the same. */
function anthropicModel({ id, displayName }: ModelEntry): object {
  return { type: "model", id, display_name: displayName, created_at: "1970-01-01T00:00:00Z" };
}
