// A process started ahead of its prompt.
import { join } from "node:path";
import { collect, Input, outcome, outcomeOf } from "../observe.js";

export const scenarios = {
  async "used with a string"(sdk, place) {
    place.model.add("warm");
    const warm = await sdk.startup({ options: place.options() });
    return collect(warm.query("go"));
  },

  async "used with an iterable"(sdk, place) {
    place.model.add("one", "two");
    const warm = await sdk.startup({ options: place.options() });
    const input = new Input("first");
    let results = 0;
    return collect(warm.query(input), ({ type }) => {
      if (type !== "result") return;
      results += 1;
      if (results === 1) input.say("second");
      else input.end();
    });
  },

  async "used twice"(sdk, place) {
    place.model.add("warm");
    const warm = await sdk.startup({ options: place.options() });
    const first = await collect(warm.query("go"));
    return { first, second: await outcomeOf(() => collect(warm.query("again"))) };
  },

  async "never used"(sdk, place) {
    const warm = await sdk.startup({ options: place.options() });
    const closed = await outcomeOf(() => warm.close());
    return { closed, after: await outcomeOf(() => collect(warm.query("go"))) };
  },

  async disposed(sdk, place) {
    const warm = await sdk.startup({ options: place.options() });
    return { disposed: await outcomeOf(() => warm[Symbol.asyncDispose]()) };
  },

  async "with a callback"(sdk, place) {
    place.model.add("warm");
    const prompts = [];
    const hook = async ({ prompt }) => {
      prompts.push(prompt);
      return {};
    };
    const hooks = { UserPromptSubmit: [{ hooks: [hook] }] };
    const warm = await sdk.startup({ options: place.options({ hooks }) });
    return { ...(await collect(warm.query("go"))), prompts };
  },

  async "of an executable that is not there"(sdk, place) {
    const pathToClaudeCodeExecutable = join(place.root, "missing");
    return outcome(sdk.startup({ options: place.options({ pathToClaudeCodeExecutable }) }));
  },

  async "of a session that is not there"(sdk, place) {
    const resume = "99999999-8888-4777-8666-555555555555";
    return outcome(sdk.startup({ options: place.options({ resume }) }));
  },
};
