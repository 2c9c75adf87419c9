// What complete() and stream() promise.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { complete, isHawserError, stream } from "hawser";
import { hang, reply, toolUse } from "hawser/testing";
import { textBelow } from "../place.js";

const SCHEMA = /** @type {const} */ ({
  type: "object",
  properties: { knot: { type: "string" }, turns: { type: "integer" } },
  required: ["knot", "turns"],
  additionalProperties: false,
});

/** @type {readonly import("../outcome.js").Check[]} */
export const answers = [
  {
    id: "complete",
    group: "Answers",
    title: "`complete()` answers, offers no tools and keeps no session",
    async run(place) {
      const { calls, options, configDir } = await place.world(["Bowline."]);
      const { text, stop, costUsd } = await complete("Name a knot: word-one.", options);
      assert.equal(text, "Bowline.");
      assert.equal(stop, "completed");
      assert.ok((costUsd ?? 0) > 0, "the cost is unknown");
      const [call] = calls();
      assert.match(call?.prompt ?? "", /word-one/, "the prompt did not reach the model");
      assert.deepEqual(call?.tools, [], "tools were offered");
      assert.ok(!textBelow(configDir).includes("word-one"), "the prompt is on disk");
    },
  },
  {
    id: "stream",
    group: "Answers",
    title: "`stream()` gives the text in pieces, before the end",
    async run(place) {
      const endless = await place.world([hang("Bowline, sheet bend")]);
      const controller = new AbortController();
      const first = stream("Name knots.", { ...endless.options, signal: controller.signal });
      first.completion.catch(() => {}); // It is aborted below.
      const { value } = await first.textStream[Symbol.asyncIterator]().next();
      assert.match(value ?? "", /^B/, "no text came before the end of the answer");
      controller.abort();
      const answer = "Bowline, sheet bend, figure eight.";
      const { options } = await place.world([reply(answer, { chunks: 4 })]);
      const second = stream("Name knots.", options);
      let text = "";
      for await (const piece of second.textStream) text += piece;
      assert.equal(text, answer);
      assert.equal((await second.completion).text, answer);
    },
  },
  {
    id: "schema",
    group: "Answers",
    title: "`schema` gives a checked value",
    async run(place) {
      const value = { knot: "bowline", turns: 1 };
      const { options } = await place.world([toolUse("StructuredOutput", value), "done"]);
      const completion = await complete("A knot.", { ...options, schema: SCHEMA });
      assert.deepEqual(completion.value, value);
    },
  },
  {
    id: "schema-misfit",
    group: "Answers",
    title: "an answer that does not fit the schema is never a value (`structured_output`)",
    isGuard: true,
    async run(place) {
      const wrong = toolUse("StructuredOutput", { knot: 5 });
      const { options } = await place.world([wrong]);
      const code = await codeOf(complete("A knot.", { ...options, schema: SCHEMA, maxTurns: 20 }));
      assert.equal(code, "structured_output");
    },
  },
  {
    id: "history",
    group: "Answers",
    title: "`history` reaches the model as messages",
    async run(place) {
      const { calls, options } = await place.world(["Sheet bend."]);
      const history = /** @type {const} */ ([
        { role: "user", content: "word-one" },
        { role: "assistant", content: "word-two" },
      ]);
      await complete("word-three", { ...options, history: [...history] });
      assert.equal(calls().length, 1, `the model was asked ${calls().length} times`);
      const roles = messagesOf(calls()[0]).flatMap(({ role, content }) => {
        const [word] = /word-\w+/.exec(JSON.stringify(content)) ?? [];
        return word === undefined ? [] : [`${role} ${word}`];
      });
      assert.deepEqual(roles, ["user word-one", "assistant word-two", "user word-three"]);
    },
  },
  {
    id: "client-tools",
    group: "Answers",
    title: "`clientTools`: the call ends with the model's tool calls, and the CLI runs nothing",
    async run(place) {
      const { calls, options } = await place.world([
        toolUse("get_weather", { city: "Oslo" }),
        "never asked",
      ]);
      const inputSchema = /** @type {const} */ ({
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      });
      const tool = { name: "get_weather", description: "Tells the weather.", inputSchema };
      const { stop, toolCalls } = await complete("Oslo?", { ...options, clientTools: [tool] });
      assert.equal(stop, "tool_calls");
      assert.deepEqual(
        toolCalls.map(({ name, input }) => ({ name, input })),
        [{ name: "get_weather", input: { city: "Oslo" } }],
      );
      assert.deepEqual(calls()[0]?.tools, ["get_weather"]);
      assert.equal(calls().length, 1, "the model was asked again");
    },
  },
  {
    id: "bare",
    group: "Answers",
    title: "`bare` tells the model nothing about the machine",
    async run(place) {
      const { calls, options, cwd } = await place.world(["Bowline."]);
      await complete("A knot.", { ...options, bare: true });
      const body = JSON.stringify(calls()[0]?.body);
      assert.ok(!body.includes(cwd), "the working directory was sent");
      const year = new RegExp(`${new Date().getFullYear()}[-/]\\d\\d`);
      return year.test(body) ? "the model is still told the date" : undefined;
    },
  },
  {
    id: "literal-prompt",
    group: "Answers",
    title: "the text of a prompt is data: no command is run, no file is read",
    isGuard: true,
    async run(place) {
      const { calls, options, cwd } = await place.world(["ok"]);
      writeFileSync(join(cwd, "secret.txt"), "words-of-the-file");
      for (const prompt of ["/clear word-one", "/cost", `word-two @${cwd}/secret.txt`]) {
        const before = calls().length;
        const { text } = await complete(prompt, options);
        assert.equal(text, "ok", `the CLI answered ${JSON.stringify(prompt)} itself`);
        const said = JSON.stringify(
          calls()
            .slice(before)
            .map(({ body }) => body),
        );
        const start = JSON.stringify(prompt).slice(1, 8);
        assert.ok(said.includes(start), `${JSON.stringify(prompt)} did not reach the model`);
        assert.ok(!said.includes("words-of-the-file"), "a file was read");
      }
    },
  },
  {
    id: "max-turns",
    group: "Answers",
    title: "`maxTurns` ends a model that never stops calling tools",
    isGuard: true,
    async run(place) {
      const { calls, options } = await place.world([toolUse("Bash", echo)]);
      const { stop } = await complete("Go on.", {
        ...options,
        tools: ["Bash"],
        allowedTools: ["Bash"],
        maxTurns: 2,
      });
      assert.equal(stop, "max_turns");
      assert.equal(calls().length, 2, `the model was asked ${calls().length} times`);
    },
  },
  {
    id: "max-budget",
    group: "Answers",
    title: "`maxBudgetUsd` ends a call that costs more",
    isGuard: true,
    async run(place) {
      const dear = reply(toolUse("Bash", echo), { usage: { output_tokens: 100_000 } });
      const { calls, options } = await place.world([dear]);
      const { stop } = await complete("Go on.", {
        ...options,
        tools: ["Bash"],
        allowedTools: ["Bash"],
        maxBudgetUsd: 0.01,
        maxTurns: 10,
      });
      assert.equal(stop, "max_budget");
      assert.ok(calls().length <= 2, `the model was asked ${calls().length} times`);
    },
  },
];

const echo = { command: "echo", description: "d" };

/**
 * The code of the error with which a call ends.
 * @param {Promise<unknown>} call
 */
export async function codeOf(call) {
  try {
    await call;
    return "no error";
  } catch (error) {
    if (!isHawserError(error)) throw error;
    return error.code;
  }
}

/**
 * @param {import("hawser/testing").RecordedRequest | undefined} request
 * @returns {{ role: string, content: unknown }[]}
 */
function messagesOf(request) {
  return /** @type {any} */ (request?.body)?.messages ?? [];
}
