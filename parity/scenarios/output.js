// Partial messages, structured output, stop conditions.
import { maxTokens, refusal, reply, thinking, toolUse } from "hawser/testing";
import { collect, converse, Input } from "../observe.js";

const SCHEMA = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "number" } },
  required: ["name", "age"],
  additionalProperties: false,
};

const outputFormat = { type: "json_schema", schema: SCHEMA };

const echo = toolUse("Bash", { command: "echo one", description: "say" });

/** 1,000,000 tokens in: several dollars by any price list. */
const DEAR = { usage: { input_tokens: 1_000_000, output_tokens: 10 } };

export const scenarios = {
  async "partial text"(sdk, { model, options }) {
    model.add(reply("abcdefgh", { chunks: 4 }));
    return ask(sdk, options({ includePartialMessages: true }));
  },

  async "partial thinking and a tool"(sdk, { model, options }) {
    model.add([thinking("Let me see.", { signature: "c2ln" }), "I look.", echo], "done");
    return ask(sdk, options({ includePartialMessages: true, allowedTools: ["Bash"] }));
  },

  async "structured output"(sdk, { model, options }) {
    model.add(toolUse("StructuredOutput", { name: "Ada", age: 36 }));
    return ask(sdk, options({ outputFormat }));
  },

  async "structured output, right at the second attempt"(sdk, { model, options }) {
    model.add(
      toolUse("StructuredOutput", { name: "Ada" }),
      toolUse("StructuredOutput", { name: "Ada", age: 36 }),
    );
    return ask(sdk, options({ outputFormat }));
  },

  async "structured output that never comes"(sdk, { model, options }) {
    model.add("I would rather talk.", "And talk.");
    return ask(sdk, options({ outputFormat }));
  },

  async "structured output in two turns"(sdk, { model, options }) {
    model.add(
      toolUse("StructuredOutput", { name: "Ada", age: 36 }),
      toolUse("StructuredOutput", { name: "Bob", age: 7 }),
    );
    return converse(sdk, options({ outputFormat }), "first", "second");
  },

  async "a schema that is none"(sdk, { options }) {
    const bad = { type: "json_schema", schema: { type: "nonsense" } };
    return ask(sdk, options({ outputFormat: bad }));
  },

  async "max turns"(sdk, { model, options }) {
    model.add(echo, echo);
    return ask(sdk, options({ maxTurns: 2, allowedTools: ["Bash"] }));
  },

  async "max turns, and another prompt"(sdk, { model, options }) {
    model.add(echo, "well");
    return converse(sdk, options({ maxTurns: 1, allowedTools: ["Bash"] }), "first", "second");
  },

  async budget(sdk, { model, options }) {
    model.add(reply(echo, DEAR));
    return ask(sdk, options({ maxBudgetUsd: 0.01, allowedTools: ["Bash"] }));
  },

  async "budget, spent by the last answer"(sdk, { model, options }) {
    model.add(reply("dear", DEAR));
    return ask(sdk, options({ maxBudgetUsd: 0.01 }));
  },

  async "the output limit"(sdk, { model, options }) {
    model.add(maxTokens("and so"), maxTokens("on"), maxTokens("and"), maxTokens("on"));
    return ask(sdk, options());
  },

  async "a refusal"(sdk, { model, options }) {
    model.add(refusal("I will not."), refusal("I will not."));
    return ask(sdk, options());
  },

  async "a suggestion of the next prompt"(sdk, { model, options }) {
    model.add("one", "two");
    const input = new Input("first");
    const query = sdk.query({ prompt: input, options: options({ promptSuggestions: true }) });
    let results = 0;
    return collect(query, ({ type }) => {
      if (type === "result") results += 1;
      if (type === "result" && results === 1) input.say("second");
      if (type === "prompt_suggestion") input.end();
    });
  },
};

function ask(sdk, options) {
  return collect(sdk.query({ prompt: "go", options }));
}
