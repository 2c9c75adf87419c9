// Queries that end early.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hang, toolUse } from "hawser/testing";
import { collect, Input, outcome, outcomeOf } from "../observe.js";

const PARTIAL = { includePartialMessages: true };

export const scenarios = {
  async "aborted in mid-stream"(sdk, place) {
    place.model.add(hang("half an ans"));
    const abortController = new AbortController();
    const options = place.options({ ...PARTIAL, abortController });
    return abortedAt(sdk, sdk.query({ prompt: "go", options }), abortController, isHalf);
  },

  async "aborted in mid-tool"(sdk, place) {
    const wait = { command: "mkfifo pipe; cat pipe", description: "wait" };
    place.model.add(toolUse("Bash", wait));
    const abortController = new AbortController();
    const options = place.options({ abortController, allowedTools: ["Bash"] });
    const isCall = ({ type }) => type === "assistant";
    return abortedAt(sdk, sdk.query({ prompt: "go", options }), abortController, isCall);
  },

  async "aborted before the start"(sdk, place) {
    const abortController = new AbortController();
    abortController.abort();
    const options = place.options({ abortController });
    return outcomeOf(() => collect(sdk.query({ prompt: "go", options })));
  },

  async "aborted with a reason"(sdk, place) {
    place.model.add(hang("half an ans"));
    const abortController = new AbortController();
    const options = place.options({ ...PARTIAL, abortController });
    return collect(sdk.query({ prompt: "go", options }), (message) => {
      if (isHalf(message)) abortController.abort(new RangeError("my reason"));
    });
  },

  async "aborted between turns"(sdk, place) {
    place.model.add("one");
    const abortController = new AbortController();
    const options = place.options({ abortController });
    const isResult = ({ type }) => type === "result";
    const query = sdk.query({ prompt: new Input("first"), options });
    return abortedAt(sdk, query, abortController, isResult);
  },

  async "aborted after the end"(sdk, place) {
    place.model.add("one");
    const abortController = new AbortController();
    const options = place.options({ abortController });
    const seen = await collect(sdk.query({ prompt: "go", options }));
    abortController.abort();
    return seen;
  },

  async "closed in mid-stream"(sdk, place) {
    place.model.add(hang("half an ans"));
    const query = sdk.query({ prompt: "go", options: place.options(PARTIAL) });
    return collect(query, (message) => {
      if (isHalf(message)) query.close();
    });
  },

  async "closed in mid-tool, and what the tool does then"(sdk, place) {
    const command = "touch running; until [ -e go ]; do sleep 0.05; done; touch after";
    place.model.add(toolUse("Bash", { command, description: "wait" }), "done");
    const options = place.options({ allowedTools: ["Bash"] });
    const query = sdk.query({ prompt: "go", options });
    const closed = appeared(join(place.cwd, "running")).then(async () => {
      query.close();
      // Well within the two seconds that a process has between the end of its input and SIGTERM.
      await new Promise((resolve) => setTimeout(resolve, 500));
      writeFileSync(join(place.cwd, "go"), "");
    });
    const seen = await collect(query);
    await closed;
    await place.gone();
    const after = existsSync(join(place.cwd, "after"));
    return { ...seen, after, requests: "a race", script: "played to its end" };
  },

  async "closed between turns"(sdk, place) {
    place.model.add("one");
    const query = sdk.query({ prompt: new Input("first"), options: place.options() });
    return collect(query, (message) => {
      if (message.type === "result") query.close();
    });
  },

  async "closed before the first message"(sdk, place) {
    const query = sdk.query({ prompt: new Input(), options: place.options() });
    await query.supportedModels();
    query.close();
    const seen = await collect(query);
    return { ...seen, after: await outcomeOf(() => query.setModel("haiku")) };
  },

  async "closed while a method waits"(sdk, place) {
    const query = sdk.query({ prompt: new Input(), options: place.options() });
    const waiting = outcome(query.mcpServerStatus());
    query.close();
    return { ...(await collect(query)), waiting: await waiting };
  },

  async "left at the first message"(sdk, place) {
    place.model.add(hang("half an ans"));
    const query = sdk.query({ prompt: "go", options: place.options(PARTIAL) });
    const messages = [];
    for await (const message of query) {
      messages.push(message);
      if (isHalf(message)) break;
    }
    return { messages, again: await collect(query) };
  },

  async "left at the result"(sdk, place) {
    place.model.add("one");
    const query = sdk.query({ prompt: new Input("first"), options: place.options() });
    const messages = [];
    for await (const message of query) {
      messages.push(message);
      if (message.type === "result") break;
    }
    return { messages, next: await outcome(query.next()) };
  },

  async "return and throw"(sdk, place) {
    place.model.add("one", "two");
    const first = sdk.query({ prompt: "go", options: place.options() });
    const left = [await outcome(first.next()), await outcome(first.return("bye"))];
    left.push(await outcome(first.next()));
    const second = sdk.query({ prompt: "go", options: place.options() });
    const broken = [await outcome(second.next()), await outcome(second.throw(new Error("mine")))];
    broken.push(await outcome(second.next()));
    // The processes end on their own. Whether they have sent a request to the model by then is a race.
    return { left, broken };
  },

  async "iterated twice"(sdk, place) {
    place.model.add("one");
    const query = sdk.query({ prompt: "go", options: place.options() });
    return { first: await collect(query), second: await collect(query) };
  },

  async disposed(sdk, place) {
    place.model.add("one");
    const query = sdk.query({ prompt: new Input("first"), options: place.options() });
    const messages = [];
    for (;;) {
      const { value, done } = await query.next();
      if (done) break;
      messages.push(value);
      if (value.type === "result") break;
    }
    const disposed = await outcomeOf(() => query[Symbol.asyncDispose]());
    return { messages, disposed, next: await outcome(query.next()) };
  },
};

async function appeared(path) {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 20));
}

function isHalf(message) {
  return message.event?.delta?.text === "half an ans";
}

/** Aborts at a message. Returns whether the error is the SDK's own class. */
async function abortedAt(sdk, query, abortController, at) {
  const messages = [];
  try {
    for await (const message of query) {
      messages.push(message);
      if (at(message)) abortController.abort();
    }
  } catch (error) {
    const { name, message } = error;
    return { messages, error: { name, message, isAbort: error instanceof sdk.AbortError } };
  }
  return { messages, error: null };
}
