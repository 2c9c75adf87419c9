import { HOOK_EVENTS } from "../shape/hook.js";
import { listOf, recordOf, shape } from "./compound.js";
import { at, callback, isObject, json, type Kind, number, oneOf, string } from "./kind.js";
import { nearest } from "./name.js";

export const agents: Kind = recordOf({
  name: "agent",
  *problems(value, at) {
    yield* shape({ description: string, prompt: string, tools: listOf(string), model: string }, [
      "description",
      "prompt",
    ]).problems(value, at);
    if (isObject(value)) yield* json.problems(value, at);
  },
});

/** The CLI takes it for a regular expression, and never calls a hook whose is none. */
const pattern: Kind = {
  name: "pattern",
  *problems(value, path) {
    yield* string.problems(value, path);
    if (typeof value !== "string" || value === "*") return;
    try {
      new RegExp(value);
    } catch {
      const hint = 'Write a name, names as "Bash|Write", or a regular expression.';
      yield { path, message: "is not a pattern, so that its hooks would never be called", hint };
    }
  },
};

const matchers: Kind = listOf(
  shape(
    {
      matcher: pattern,
      hooks: listOf(callback),
      timeout: number("seconds", "a number of seconds greater than 0", (n) => n > 0 && n < 1e9),
      onFailure: oneOf("continue", "block"),
    },
    ["hooks"],
  ),
);

export const hooks: Kind = {
  name: "hooks",
  *problems(value, path) {
    if (!isObject(value)) return yield { path, message: "must be an object" };
    for (const [event, list] of Object.entries(value)) {
      if (!(HOOK_EVENTS as readonly string[]).includes(event)) {
        // A hook that never fires is a guard that never guards.
        const near = nearest(event, HOOK_EVENTS);
        const hint = near === undefined ? "See HOOK_EVENTS for the names." : `Use "${near}".`;
        yield { path: at(path, event), message: "is not a hook event", hint };
      } else if (list !== undefined) yield* matchers.problems(list, at(path, event));
    }
  },
};
