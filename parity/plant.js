// Differences that are planted on purpose. A suite that does not find them proves nothing.

/** An SDK that changes one field of one message. `--plant` runs it in place of ours. */
export function planted(sdk) {
  return {
    ...sdk,
    query: (parameters) => altered(sdk.query(parameters)),
    startup: async (parameters) => {
      const warm = await sdk.startup(parameters);
      return new Proxy(warm, {
        get: (target, name) =>
          name === "query" ? (prompt) => altered(target.query(prompt)) : bound(target, name),
      });
    },
  };
}

function altered(query) {
  const next = async (...values) => alter(await query.next(...values));
  const proxy = new Proxy(query, {
    get(target, name) {
      if (name === "next") return next;
      if (name === Symbol.asyncIterator) return () => proxy;
      return bound(target, name);
    },
  });
  return proxy;
}

function alter(step) {
  if (step.done || step.value.type !== "result") return step;
  return { ...step, value: { ...step.value, num_turns: step.value.num_turns + 1 } };
}

function bound(target, name) {
  const value = Reflect.get(target, name);
  return typeof value === "function" ? value.bind(target) : value;
}

/** Changes of an observation, one for each kind of difference. The comparison must find each of them. */
export const MUTATIONS = {
  "a changed field": (seen) => ({
    ...seen,
    messages: seen.messages.with(-1, { ...seen.messages.at(-1), result: "other" }),
  }),
  "a missing message": (seen) => ({ ...seen, messages: seen.messages.slice(1) }),
  "a message too many": (seen) => ({
    ...seen,
    messages: [...seen.messages, seen.messages.at(-1)],
  }),
  "two messages swapped": (seen) => ({ ...seen, messages: seen.messages.toReversed() }),
  "another id in one of two places": (seen) => ({
    ...seen,
    messages: seen.messages.with(-1, {
      ...seen.messages.at(-1),
      session_id: "01234567-89ab-4cde-8f01-23456789abcd",
    }),
  }),
  "an error where there was none": (seen) => ({
    ...seen,
    error: { name: "Error", message: "planted" },
  }),
  "a field too many": (seen) => ({
    ...seen,
    messages: seen.messages.with(0, { ...seen.messages[0], planted: null }),
  }),
  "another request": (seen) => ({
    ...seen,
    requests: seen.requests.map((request) => ({
      ...request,
      body: { ...request.body, model: "" },
    })),
  }),
};
