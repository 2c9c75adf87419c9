import { generateText, Output, streamText } from "ai";
import { hang, reply, thinking, toolUse } from "hawser/testing";
import { z } from "zod";
import { observe, quoted, warned } from "../support/observe.js";
import { bash, blocksOf } from "../support/replies.js";

const CHUNKS = 6;
const GAP_MS = 150;

export const TEXT = {
  "generate-text": {
    title: "`generateText()`: text, finish reason and tokens",
    replies: () => ["A bowline."],
    async run({ model }) {
      const { text, finishReason, usage } = await generateText({
        model: model(),
        prompt: "Name a knot.",
      });
      observe(text === "A bowline.", () => `the text is ${quoted(text)}`);
      observe(finishReason === "stop", () => `the finish reason is \`${finishReason}\``);
      const { inputTokens, outputTokens } = usage;
      observe(
        inputTokens === 10 && outputTokens === 5,
        () => `${inputTokens} and ${outputTokens} tokens instead of 10 and 5`,
      );
    },
  },

  "stream-text": {
    title: "`streamText()`: the first piece comes while the model still writes",
    replies: () => [reply("A bowline holds fast.", { chunks: CHUNKS, chunkDelayMs: GAP_MS })],
    async run({ model }) {
      const times = [];
      const { textStream } = streamText({ model: model(), prompt: "Name a knot." });
      for await (const _ of textStream) times.push(performance.now());
      observe(times.length > 1, () => `the whole text in ${times.length} piece`);
      observe(
        whileWriting(times),
        () => `${times.length} pieces, but all at the end of the answer`,
      );
    },
  },

  history: {
    title: "a history with a tool call and its result arrives as messages, with a long input whole",
    replies: () => ["Yes."],
    async run({ model, asked }) {
      await generateText({ model: model(), messages: HISTORY });
      const blocks = blocksOf(asked()[0]);
      const call = blocks.find(({ type }) => type === "tool_use");
      const result = blocks.find(({ type }) => type === "tool_result");
      const texts = blocks.filter(({ type }) => type === "text").map(({ text }) => text);
      observe(call !== undefined && result !== undefined, () => asText(texts.join("\n")));
      observe(call.role === "assistant" && call.input.text === LONG, () => "the input has changed");
    },
    others: {
      claudeCode: {
        by: "`resume`",
        replies: () => [bash("echo bowline"), "You have a bowline.", "Yes."],
        async run({ agent, asked }) {
          const settings = { allowedTools: ["Bash(echo *)"] };
          const { finalStep } = await generateText({
            model: agent(settings),
            prompt: "Which knots do I have?",
          });
          const resume = finalStep.providerMetadata?.["claude-code"]?.sessionId;
          await generateText({ model: agent({ ...settings, resume }), prompt: "Is it strong?" });
          const types = blocksOf(asked().at(-1)).map(({ type }) => type);
          observe(types.includes("tool_use"), () => "no tool call in the resumed session");
          return "what the CLI has stored of an earlier call on this machine arrives as messages";
        },
      },
    },
  },

  "output-object": {
    title: "`Output.object()` with partial values while the model writes",
    replies: () => [
      reply(toolUse("StructuredOutput", knot()), { chunks: CHUNKS, chunkDelayMs: GAP_MS }),
    ],
    async run({ model }) {
      const result = streamText({
        model: model(),
        prompt: "Describe the bowline.",
        output: Output.object({
          schema: z.object({ name: z.string(), uses: z.array(z.string()) }),
        }),
      });
      const times = [];
      for await (const partial of result.partialOutputStream) {
        if (Object.keys(partial).length > 0) times.push(performance.now());
      }
      const value = await result.output;
      observe(
        JSON.stringify(value) === JSON.stringify(knot()),
        () => `the value is ${quoted(JSON.stringify(value))}`,
      );
      observe(times.length > 1, () => `the value is right, but was shown ${times.length} times`);
      observe(whileWriting(times), () => `${times.length} partial values, but all at the end`);
    },
  },

  reasoning: {
    title: '`reasoning: "low"` reaches the model, and its reasoning comes back',
    replies: () => [[thinking("Which one?", { signature: "c2ln" }), "A bowline."]],
    async run({ model, asked }) {
      const { reasoningText, warnings } = await generateText({
        model: model(),
        prompt: "Name a knot.",
        reasoning: "low",
      });
      observe(reasoningText === "Which one?", () => `the reasoning is ${quoted(reasoningText)}`);
      const effort = effortOf(asked()[0]);
      observe(
        effort === "low",
        () =>
          `the reasoning comes back; the request has the effort \`${effort}\`; ${warned(warnings)}`,
      );
    },
    others: {
      claudeCode: {
        by: "the setting `effort`",
        async run({ agent, asked }) {
          const { reasoningText } = await generateText({
            model: agent({ effort: "low" }),
            prompt: "Name a knot.",
          });
          observe(reasoningText === "Which one?", () => "no reasoning in the result");
          const effort = effortOf(asked()[0]);
          observe(effort === "low", () => `the request has the effort \`${effort}\``);
          return "both work";
        },
      },
    },
  },

  warnings: {
    title: "`maxOutputTokens` and `temperature`, which the CLI cannot set, are warned about",
    replies: () => ["A bowline."],
    async run({ model }) {
      const { warnings } = await generateText({
        model: model(),
        prompt: "Name a knot.",
        maxOutputTokens: 100,
        temperature: 0.5,
      });
      const features = warnings.map(({ feature }) => feature);
      observe(
        ["maxOutputTokens", "temperature"].every((name) => features.includes(name)),
        () => warned(warnings),
      );
    },
  },

  "stop-sequences": {
    title: "`stopSequences` end the text",
    replies: () => [reply("One. END Two.", { chunks: CHUNKS })],
    async run({ model }) {
      const { text, warnings } = await generateText({
        model: model(),
        prompt: "Count.",
        stopSequences: ["END"],
      });
      observe(text === "One. ", () => `the text goes on; ${warned(warnings)}`);
      return `emulated, with ${warned(warnings)}`;
    },
  },

  abort: {
    title: "an abort in mid-stream ends the stream, and the next call is answered",
    replies: () => [hang("A bowline is"), "A sheet bend."],
    async run({ model }) {
      const controller = new AbortController();
      const one = model();
      const result = streamText({
        model: one,
        prompt: "Name a knot.",
        abortSignal: controller.signal,
        onError: () => {},
      });
      const types = [];
      for await (const { type } of result.fullStream) {
        types.push(type);
        if (type === "text-delta") controller.abort();
      }
      observe(types.at(-1) === "abort", () => `the last part of the stream is \`${types.at(-1)}\``);
      const { text } = await generateText({ model: one, prompt: "Another one?" });
      observe(text === "A sheet bend.", () => `the next call answers ${quoted(text)}`);
    },
  },
};

/** Whether there is at least half of the time of the answer between the first and the last piece. */
function whileWriting(times) {
  return times[times.length - 1] - times[0] > ((CHUNKS - 1) * GAP_MS) / 2;
}

/** Longer than what a program would cut off. */
const LONG = "bowline ".repeat(300);

/** @type {import("ai").ModelMessage[]} */
const HISTORY = [
  { role: "user", content: "Store this." },
  {
    role: "assistant",
    content: [
      { type: "tool-call", toolCallId: "call_1", toolName: "store", input: { text: LONG } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "call_1",
        toolName: "store",
        output: { type: "text", value: "stored" },
      },
    ],
  },
  { role: "user", content: "Is it stored?" },
];

function asText(text) {
  const line = text.split("\n").find((each) => each.includes("store("));
  if (line === undefined) return "the tool call is not in the request";
  const kept = line.split("bowline ").length - 1;
  const whole = LONG.split("bowline ").length - 1;
  return `the call arrives as text (${quoted(line.trim().slice(0, 30))}), with ${kept} of the ${whole} words of its input`;
}

function effortOf(request) {
  return request.body.output_config?.effort;
}

function knot() {
  return { name: "bowline", uses: ["mooring", "climbing", "rescue"] };
}
