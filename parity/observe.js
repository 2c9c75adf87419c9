// Helpers with which a scenario records what it observes.

/**
 * Every message of a query, and the error that ended it. `each` is called at every message.
 * @param {AsyncIterable<any>} query
 * @param {(message: any, messages: any[]) => unknown} [each]
 */
export async function collect(query, each = () => {}) {
  /** @type {{ messages: any[], error: any }} */
  const seen = { messages: [], error: null };
  try {
    for await (const message of query) {
      seen.messages.push(plain(message));
      await each(message, seen.messages);
    }
  } catch (error) {
    seen.error = thrown(error);
  }
  return seen;
}

/** The outcome of a promise. */
export async function outcome(promise) {
  try {
    return { value: plain(await promise) };
  } catch (error) {
    return { error: thrown(error) };
  }
}

/** Like `outcome`, for a call that may throw before it returns a promise. */
export function outcomeOf(call) {
  return outcome((async () => call())());
}

/** The visible parts of an error, without the name of its class, which a bundler may have shortened. */
export function thrown(error) {
  if (!(error instanceof Error)) return { thrown: plain(error) };
  return { name: error.name, message: error.message };
}

/** A copy as JSON. Values that JSON does not have are replaced by their name. */
export function plain(value) {
  const text = JSON.stringify(value, (_, item) => {
    if (typeof item === "function") return "<function>";
    if (item instanceof AbortSignal) return `<signal${item.aborted ? ", aborted" : ""}>`;
    if (item instanceof Error) return thrown(item);
    return item;
  });
  return text === undefined ? null : JSON.parse(text);
}

/** A streamed prompt that the scenario continues when it chooses. */
export class Input {
  #waiting = [];
  #wake = () => {};
  #ended = false;

  constructor(...texts) {
    for (const text of texts) this.say(text);
  }

  say(content, fields = {}) {
    this.send({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
      session_id: "",
      ...fields,
    });
  }

  send(message) {
    this.#waiting.push(message);
    this.#wake();
  }

  end() {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift();
      if (this.#ended) return;
      await new Promise((resolve) => {
        this.#wake = () => resolve(undefined);
      });
    }
  }
}

/**
 * A conversation in which each step waits for the earlier result. A step is the next text (with its uuid,
 * if it has one), or a function that is called with the query. Returns the messages, and the results of
 * the functions as `steps`.
 */
export async function converse(sdk, options, ...steps) {
  const input = new Input();
  const query = sdk.query({ prompt: input, options });
  const answers = [];
  const queue = [...steps];
  const next = async () => {
    while (queue.length > 0) {
      const step = queue.shift();
      if (step.uuid !== undefined) return input.say(step.text, { uuid: step.uuid });
      if (typeof step !== "function") return input.say(step);
      answers.push(plain(await step(query, input)));
    }
    input.end();
  };
  await next();
  const seen = await collect(query, async (message) => {
    if (message.type === "result") await next();
  });
  return { ...seen, steps: answers };
}
