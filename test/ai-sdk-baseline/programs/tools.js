import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";
import { observe, quoted, warned } from "../support/observe.js";
import { callsIfForced, offeredAs, oneAfterTheOther } from "../support/replies.js";

const TWO_ROUNDS = [
  [
    ["weather", { town: "Kiel" }],
    ["tide", { port: "Kiel" }],
  ],
  [["weather", { town: "Bremen" }]],
  "Sail at noon.",
];
const RUN = ["weather Kiel", "tide Kiel", "weather Bremen"];

export const TOOLS = {
  tools: {
    title:
      '`tools` of the AI SDK, with `toolChoice: "auto"`: two parallel calls, then one more, in three steps',
    replies: () => [oneAfterTheOther(TWO_ROUNDS)],
    async run({ model, asked }) {
      const ran = [];
      const { text, steps, warnings } = await generateText({
        model: model(),
        prompt: "When should I sail?",
        tools: toolsThatNote(ran),
        stopWhen: isStepCount(5),
      });
      observe(sameCalls(ran), () => notRun(ran, asked()[0], warnings));
      observe(steps.length === 3, () => `the tools ran in ${steps.length} steps`);
      observe(text === "Sail at noon.", () => `the text is ${quoted(text)}`);
    },
    others: {
      claudeCode: {
        by: "`createAiSdkMcpServer`",
        async run({ withTools, asked }) {
          const ran = [];
          const { text, steps } = await generateText({
            model: withTools(toolsThatNote(ran)),
            prompt: "When should I sail?",
          });
          observe(sameCalls(ran), () => `${ran.length} of ${RUN.length} calls ran`);
          observe(text === "Sail at noon.", () => `the text is ${quoted(text)}`);
          const shown = steps.flatMap(({ toolCalls }) => toolCalls);
          const owner = shown.every(({ providerExecuted }) => providerExecuted)
            ? "shown as tools of the provider"
            : "shown as tools of the program";
          return `all calls run, ${owner}, in ${steps.length} step of the AI SDK and ${asked().length} requests to the model`;
        },
      },
    },
  },

  "choice-none": {
    title: '`toolChoice: "none"`: the model is not offered the tool',
    replies: () => [oneAfterTheOther([[["weather", { town: "Kiel" }]]])],
    async run({ model, asked }) {
      const ran = [];
      const { warnings } = await generateText({
        model: model(),
        prompt: "When should I sail?",
        tools: toolsThatNote(ran),
        toolChoice: "none",
      });
      const offered = offeredAs(asked()[0], "weather");
      observe(offered === undefined && ran.length === 0, () => `the request offers \`${offered}\``);
      return warnings.length === 0 ? undefined : `${warned(warnings)}`;
    },
  },

  "choice-required": {
    title: '`toolChoice: "required"` forces a model that would not call a tool',
    replies: () => [callsIfForced("tide", { port: "Kiel" })],
    run: (side) => forced(side, "required", "tide"),
    others: {
      claudeCode: {
        by: "`createAiSdkMcpServer`",
        run: (side) => forced(side, "required", "tide", side.withTools(toolsThatNote([]))),
      },
    },
  },

  "choice-named": {
    title: "`toolChoice` with a named tool forces a model that would not call it",
    replies: () => [callsIfForced("weather", { town: "Kiel" })],
    run: (side) => forced(side, { type: "tool", toolName: "weather" }, "weather"),
    others: {
      claudeCode: {
        by: "`createAiSdkMcpServer`",
        run: (side) =>
          forced(
            side,
            { type: "tool", toolName: "weather" },
            "weather",
            side.withTools(toolsThatNote([])),
          ),
      },
    },
  },
};

async function forced({ model }, toolChoice, name, given = model()) {
  const { text, toolCalls, warnings } = await generateText({
    model: given,
    prompt: "When should I sail?",
    tools: toolsThatNote([]),
    toolChoice,
  });
  const named = toolCalls.map(({ toolName }) => toolName);
  observe(named.includes(name), () => `no call, but the text ${quoted(text)}; ${warned(warnings)}`);
}

/** @param {string[]} ran What the tools were called with, in order. */
function toolsThatNote(ran) {
  return {
    weather: tool({
      description: "The weather of a town.",
      inputSchema: z.object({ town: z.string() }),
      execute: ({ town }) => {
        ran.push(`weather ${town}`);
        return `sunny in ${town}`;
      },
    }),
    tide: tool({
      description: "The tide of a port.",
      inputSchema: z.object({ port: z.string() }),
      execute: ({ port }) => {
        ran.push(`tide ${port}`);
        return `high at noon in ${port}`;
      },
    }),
  };
}

/** Parallel calls may run in any order. */
function sameCalls(ran) {
  return [...ran].sort().join() === [...RUN].sort().join();
}

function notRun(ran, request, warnings) {
  const offered = ["weather", "tide"].filter((name) => offeredAs(request, name) !== undefined);
  return `the model is offered ${offered.length} of 2 tools, ${ran.length} of ${RUN.length} calls ran; ${warned(warnings)}`;
}
