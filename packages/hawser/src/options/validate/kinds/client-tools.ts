import { isObject, type Kind, kind, type Problem } from "../../../base/index.js";

/** The tools that the caller runs. */
export const clientTools: Kind = {
  name: "client tools",
  *problems(value, path) {
    if (!Array.isArray(value)) return yield { path, message: "must be an array of tools", hint };
    const names = new Set<unknown>();
    for (const [i, tool] of value.entries()) {
      const at = `${path}[${i}]`;
      if (!isObject(tool)) {
        yield { path: at, message: "must be a tool", hint };
        continue;
      }
      yield* TOOL.problems(tool, at);
      const { name } = tool;
      if (names.has(name)) {
        yield {
          path: `${at}.name`,
          message: `is used twice: "${name}"`,
          hint: "Rename one of the tools.",
        };
      }
      names.add(name);
    }
  },
};

const hint = "A tool is { name, description, inputSchema }.";

const NAME: Kind = {
  name: "tool name",
  *problems(value, path): Iterable<Problem> {
    if (typeof value !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(value)) {
      yield { path, message: "must have 1 to 64 letters, digits, _ and -" };
    } else if (value === "StructuredOutput" || value === "ToolSearch") {
      // Observed: the CLI leaves out a tool named ToolSearch without a word.
      yield { path, message: "is the name of a tool of the CLI", hint: "Rename the tool." };
    }
  },
};

const INPUT_SCHEMA: Kind = {
  name: "JSON Schema of an object",
  *problems(value, path): Iterable<Problem> {
    yield* kind.json.problems(value, path);
    if (!isObject(value) || value["type"] === "object") return;
    yield {
      path: `${path}.type`,
      message: 'must be "object"',
      hint: 'Pass plain JSON Schema such as { type: "object", properties: {} }. Convert a schema of a library first.',
    };
  },
};

const TOOL = kind.shape(
  { name: NAME, description: kind.string, inputSchema: INPUT_SCHEMA },
  ["name", "description", "inputSchema"],
  "near",
);

export const toolChoice: Kind = kind.either(
  "tool choice",
  '"auto", "none", "required" or { tool: name }',
  [kind.isString, kind.oneOf("auto", "none", "required")],
  [isObject, kind.shape({ tool: kind.string }, ["tool"], "refuse")],
);
