import { type Kind, kind } from "../../../base/index.js";

export const models: Kind = kind.either(
  "string or string[]",
  "a string or an array of strings",
  [kind.isString, kind.argument],
  [Array.isArray, kind.listOf(modelName())],
);

export const model: Kind = kind.either(
  "string",
  "a string",
  [(value) => value === "", kind.string],
  [kind.isString, kind.argument],
);

/** A comma would make two models of one. */
function modelName(): Kind {
  return {
    name: "string",
    *problems(value, at) {
      yield* kind.argument.problems(value, at);
      if (kind.isString(value) && value.includes(","))
        yield { path: at, message: "must be one model" };
    },
  };
}

const display = kind.oneOf("summarized", "omitted", "highlights");

export const thinking: Kind = kind.shape(
  { type: kind.oneOf("adaptive", "enabled", "disabled"), budgetTokens: kind.count, display },
  ["type"],
  "refuse",
);

export const taskBudget: Kind = kind.shape({ total: kind.count }, ["total"], "refuse");
