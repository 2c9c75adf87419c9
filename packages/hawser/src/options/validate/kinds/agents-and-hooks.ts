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
    if (typeof value !== "string") return yield kind.notA("a string", value, path, MATCHER_HINT);
    if (value === "*") return;
    try {
      new RegExp(value);
    } catch (error) {
      // Such as: Invalid regular expression: /Bash(/: Unterminated group
      const why = error instanceof Error ? error.message : "is not a regular expression";
      const message = `is no pattern, so its hooks would never be called (${why})`;
      yield { path, message, hint: MATCHER_HINT };
    }
  },
};

const MATCHER_HINT =
  'Pass a string: a tool name such as "Bash", several names such as "Bash|Write", or the source of a regular expression such as "mcp__.*".';

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
    "pass",
    "{ hooks: [callback] }",
  ),
);

/** The event that begins with these letters, such as `PreToolUse` for `PreTool`. */
function onlyBeginningWith(name: string): string | undefined {
  const [event, ...others] = HOOK_EVENTS.filter((each) => each.startsWith(name));
  return others.length === 0 ? event : undefined;
}

export const hooks: Kind = {
  name: "hooks",
  *problems(value, path) {
    if (!isObject(value)) return yield kind.notA("an object", value, path);
    for (const [event, list] of Object.entries(value)) {
      if (!(HOOK_EVENTS as readonly string[]).includes(event)) {
        // A hook with an unknown event never fires, so that a guard would be open.
        const near = closestName(event, HOOK_EVENTS) ?? onlyBeginningWith(event);
        const at = kind.at(path, event);
        const message = "is not a hook event";
        if (near !== undefined) yield kind.renamed(at, message, kind.at(path, near));
        else yield { path: at, message, hint: "See HOOK_EVENTS for the names." };
      } else if (list !== undefined) yield* matchers.problems(list, kind.at(path, event));
    }
  },
};
