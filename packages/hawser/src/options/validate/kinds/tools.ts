import { isObject, type Kind, kind } from "../../../base/index.js";
import { rule } from "./permission-rule.js";

export const tools: Kind = kind.either(
  "rule[] or preset",
  'an array of tool names such as ["Read"], or { type: "preset", preset: "claude_code" }',
  [Array.isArray, kind.listOf(rule)],
  [
    isObject,
    kind.shape({ type: kind.oneOf("preset"), preset: kind.oneOf("claude_code") }, [
      "type",
      "preset",
    ]),
  ],
);

export const skills: Kind = kind.either(
  'string[] or "all"',
  'an array of names, or "all"',
  [(value) => value === "all", kind.string],
  [Array.isArray, kind.listOf(skillName())],
);

/** The name of a skill. It becomes the rule `Skill(name)`. */
function skillName(): Kind {
  return {
    name: "string",
    *problems(value, at) {
      yield* kind.argument.problems(value, at);
      if (kind.isString(value) && /[()\\]/.test(value)) {
        yield { path: at, message: "must not contain parentheses or backslashes" };
      }
    },
  };
}

export const plugins: Kind = kind.listOf(
  kind.shape({ type: kind.oneOf("local"), path: kind.argument, skipMcpDiscovery: kind.boolean }, [
    "type",
    "path",
  ]),
);

export const toolConfig: Kind = kind.shape({
  askUserQuestion: kind.shape({ previewFormat: kind.oneOf("markdown", "html") }),
});

/**
 * The tool that a rule is about. A rule with a name that no tool can have would silently never
 * match.
 */
const toolPattern: Kind = {
  name: "tool",
  *problems(value, path) {
    if (!kind.isString(value)) return yield* kind.string.problems(value, path);
    if (value.startsWith("mcp__") || /^[\w*-]+$/.test(value)) return;
    yield {
      path,
      message: "must be the name of one tool, in which * stands for any characters",
      hint: 'Write one rule for each tool, and match its arguments with `input`: { tool: "Bash", input: { command: "rm *" }, decision: "deny" }.',
    };
  },
};

export const rules: Kind = kind.listOf(
  kind.shape(
    {
      tool: toolPattern,
      input: kind.object,
      decision: kind.oneOf("allow", "deny", "ask", "defer"),
    },
    ["tool", "decision"],
  ),
);

const sandboxFields: Kind = kind.shape(
  {
    enabled: kind.boolean,
    failIfUnavailable: kind.boolean,
    autoAllowBashIfSandboxed: kind.boolean,
    allowUnsandboxedCommands: kind.boolean,
    excludedCommands: kind.listOf(kind.string),
    network: kind.json,
    filesystem: kind.json,
  },
  [],
  "near",
);

export const sandbox: Kind = {
  name: "object",
  *problems(value, at) {
    yield* sandboxFields.problems(value, at);
    if (isObject(value)) yield* kind.json.problems(value, at);
  },
};
