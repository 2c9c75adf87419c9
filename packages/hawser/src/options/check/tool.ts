import { either, listOf, shape } from "./compound.js";
import {
  argument,
  boolean,
  isObject,
  isString,
  json,
  type Kind,
  object,
  oneOf,
  string,
} from "./kind.js";
import { rule } from "./rule.js";

export const tools: Kind = either(
  "rule[] or preset",
  "an array of tool names, or the preset",
  [Array.isArray, listOf(rule)],
  [isObject, shape({ type: oneOf("preset"), preset: oneOf("claude_code") }, ["type", "preset"])],
);

export const skills: Kind = either(
  'string[] or "all"',
  'an array of names, or "all"',
  [(value) => value === "all", string],
  [Array.isArray, listOf(skillName())],
);

/** It becomes the rule `Skill(name)`. */
function skillName(): Kind {
  return {
    name: "string",
    *problems(value, at) {
      yield* argument.problems(value, at);
      if (isString(value) && /[()\\]/.test(value)) {
        yield { path: at, message: "must not contain parentheses or backslashes" };
      }
    },
  };
}

export const plugins: Kind = listOf(
  shape({ type: oneOf("local"), path: argument, skipMcpDiscovery: boolean }, ["type", "path"]),
);

export const toolConfig: Kind = shape({
  askUserQuestion: shape({ previewFormat: oneOf("markdown", "html") }),
});

/** The tool that a rule is about: a rule whose name no tool can have would never fit, in silence. */
const toolPattern: Kind = {
  name: "tool",
  *problems(value, path) {
    if (!isString(value)) return yield* string.problems(value, path);
    if (value.startsWith("mcp__") || /^[\w*-]+$/.test(value)) return;
    yield {
      path,
      message: "must be the name of one tool, in which * stands for any characters",
      hint: 'Write one rule for each tool, and what it is called with as `input`: { tool: "Bash", input: { command: "rm *" }, decision: "deny" }.',
    };
  },
};

export const rules: Kind = listOf(
  shape({ tool: toolPattern, input: object, decision: oneOf("allow", "deny", "ask") }, [
    "tool",
    "decision",
  ]),
);

const sandboxFields: Kind = shape(
  {
    enabled: boolean,
    failIfUnavailable: boolean,
    autoAllowBashIfSandboxed: boolean,
    allowUnsandboxedCommands: boolean,
    excludedCommands: listOf(string),
    network: json,
    filesystem: json,
  },
  [],
  "near",
);

export const sandbox: Kind = {
  name: "object",
  *problems(value, at) {
    yield* sandboxFields.problems(value, at);
    if (isObject(value)) yield* json.problems(value, at);
  },
};
