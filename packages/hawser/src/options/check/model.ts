import { either, listOf, shape } from "./compound.js";
import { argument, count, isString, type Kind, oneOf, string } from "./kind.js";

export const models: Kind = either(
  "string or string[]",
  "a string or an array of strings",
  [isString, argument],
  [Array.isArray, listOf(modelName())],
);

export const model: Kind = either(
  "string",
  "a string",
  [(value) => value === "", string],
  [isString, argument],
);

/** A comma would make two models of one. */
function modelName(): Kind {
  return {
    name: "string",
    *problems(value, at) {
      yield* argument.problems(value, at);
      if (isString(value) && value.includes(",")) yield { path: at, message: "must be one model" };
    },
  };
}

const display = oneOf("summarized", "omitted", "highlights");

export const thinking: Kind = shape(
  { type: oneOf("adaptive", "enabled", "disabled"), budgetTokens: count, display },
  ["type"],
  "refuse",
);

export const taskBudget: Kind = shape({ total: count }, ["total"], "refuse");
