import { closestName, isObject, type Kind, kind } from "../../../base/index.js";
import { HOOK_EVENTS } from "../../types/hooks.js";

export const agents: Kind = kind.recordOf({
  name: "agent",
  *problems(value, at) {
    yield* kind
      .shape(
        {
          description: kind.string,
          prompt: kind.string,
          tools: kind.listOf(kind.string),
          model: kind.string,
        },
        ["description", "prompt"],
      )
      .problems(value, at);
    if (isObject(value)) yield* kind.json.problems(value, at);
  },
});

/** The CLI reads it as a regular expression, and never calls a hook whose matcher is not one. */
const pattern: Kind = {
  name: "pattern",
  *problems(value, path) {
    yield* kind.string.problems(value, path);
    if (typeof value !== "string" || value === "*") return;
    try {
      new RegExp(value);
    } catch {
      const hint =
        'Write a tool name, several names such as "Bash|Write", or a regular expression.';
      yield { path, message: "is not a valid pattern, so its hooks would never be called", hint };
    }
  },
};

const matchers: Kind = kind.listOf(
  kind.shape(
    {
      matcher: pattern,
      hooks: kind.listOf(kind.callback),
      timeout: kind.number(
        "seconds",
        "a number of seconds greater than 0",
        (n) => n > 0 && n < 1e9,
      ),
      onFailure: kind.oneOf("continue", "block"),
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
        // A hook with an unknown event never fires, so that a guard would be open.
        const near = closestName(event, HOOK_EVENTS);
        const hint = near === undefined ? "See HOOK_EVENTS for the names." : `Use "${near}".`;
        yield { path: kind.at(path, event), message: "is not a hook event", hint };
      } else if (list !== undefined) yield* matchers.problems(list, kind.at(path, event));
    }
  },
};
