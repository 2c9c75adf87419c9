// Prompts and plain answers.
import { reply, thinking } from "hawser/testing";
import { collect, converse, Input } from "../observe.js";

/** A picture of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const scenarios = {
  async "a string prompt"(sdk, { model, options }) {
    model.add("Hello.");
    return collect(sdk.query({ prompt: "hi", options: options() }));
  },

  async "signs that break lines and words"(sdk, { model, options }) {
    model.add('Zeile\u2028und\u2029mehr\u0085 \u{1f9f5} "quoted" \\ done');
    return collect(sdk.query({ prompt: "a\u2028b\r\nc \u{1f9f6} \\n \ud800", options: options() }));
  },

  async "an empty prompt"(sdk, { model, options }) {
    model.add("You said nothing.");
    return collect(sdk.query({ prompt: "", options: options() }));
  },

  async "a long prompt and a long answer"(sdk, { model, options }) {
    model.add("0123456789abcdef".repeat(20_000));
    return collect(sdk.query({ prompt: "word ".repeat(50_000), options: options() }));
  },

  async "thinking and several blocks"(sdk, { model, options }) {
    model.add([thinking("Let me see.", { signature: "c2ln" }), "First.", "Second."]);
    return collect(sdk.query({ prompt: "go", options: options() }));
  },

  async "usage and cost"(sdk, { model, options }) {
    const usage = { input_tokens: 321, output_tokens: 123, cache_read_input_tokens: 7 };
    model.add(reply("ok", { usage }));
    return collect(sdk.query({ prompt: "go", options: options() }));
  },

  async "three prompts, one after the other"(sdk, { model, options }) {
    model.add("one", "two", "three");
    return converse(sdk, options(), "first", "second", "third");
  },

  async "an iterable that ends at once"(sdk, { model, options }) {
    model.add("only one");
    const input = new Input("first");
    input.end();
    return collect(sdk.query({ prompt: input, options: options() }));
  },

  async "an iterable without a prompt"(sdk, { options }) {
    const input = new Input();
    input.end();
    return collect(sdk.query({ prompt: input, options: options() }));
  },

  async "an iterable that throws between turns"(sdk, { model, options }) {
    model.add("heard");
    let answered;
    const result = new Promise((resolve) => {
      answered = resolve;
    });
    async function* prompts() {
      yield { type: "user", message: { role: "user", content: "first" }, parent_tool_use_id: null };
      await result;
      throw new RangeError("the prompt broke");
    }
    return collect(sdk.query({ prompt: prompts(), options: options() }), ({ type }) => {
      if (type === "result") answered();
    });
  },

  async "two prompts during the first answer, joined into one turn"(sdk, { model, options }) {
    const input = new Input();
    let asked;
    const queued = new Promise((resolve) => {
      asked = resolve;
    });
    const ids = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
    model.add(async () => {
      await queued;
      return "one";
    }, "two and three");
    input.say("first", { uuid: ids[0] });
    const query = sdk.query({ prompt: input, options: options() });
    model
      .waitFor(({ kind }) => kind === "call")
      .then(() => {
        input.say("second", { uuid: ids[1] });
        input.say("third", { uuid: ids[2] });
      });
    let queuedLines = 0;
    let results = 0;
    return collect(query, (message) => {
      if (message.type === "command_lifecycle" && message.state === "queued") queuedLines += 1;
      if (queuedLines === 3) asked();
      if (message.type === "result") results += 1;
      if (results === 2) input.end();
    });
  },

  async "a picture and a document"(sdk, { model, options }) {
    model.add("A red pixel.");
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } };
    const document = {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "the document" },
    };
    const text = { type: "text", text: "What is it?" };
    return converse(sdk, options(), [image, document, text]);
  },

  async "a message that asks for no answer"(sdk, { model, options }) {
    model.add("I know both.");
    const input = new Input();
    input.say("remember this", { shouldQuery: false });
    input.say("and answer this");
    let results = 0;
    return collect(sdk.query({ prompt: input, options: options() }), ({ type }) => {
      if (type === "result") results += 1;
      if (results === 2) input.end();
    });
  },

  async "a slash command between prompts"(sdk, { model, options }) {
    model.add("one", "two");
    return converse(sdk, options(), "first", "/clear", "second");
  },

  async "prompts taken word for word"(sdk, { model, options }) {
    model.add("read");
    return collect(
      sdk.query({ prompt: "/clear @nothing.txt", options: options({ verbatimPrompts: true }) }),
    );
  },
};
