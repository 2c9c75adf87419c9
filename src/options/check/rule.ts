import { argument, type Kind, type Problem } from "./kind.js";

/**
 * A tool's name, or a permission rule such as `Bash(git *)`. The CLI splits a list of them at
 * commas and spaces outside parentheses, and an open parenthesis swallows all that follow.
 */
export const rule: Kind = {
  name: "rule",
  *problems(value, path) {
    yield* argument.problems(value, path);
    if (typeof value === "string") yield* split(value, path);
  },
};

function* split(text: string, path: string): Iterable<Problem> {
  const hint = "Write one rule as `Tool` or `Tool(pattern)`, and each rule as its own entry.";
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "\\") i++;
    else if (char === "(") depth++;
    else if (char === ")") depth--;
    else if (depth === 0 && char === ",") {
      return yield { path, message: "must not contain a comma outside parentheses", hint };
    } else if (depth === 0 && char === " ") {
      return yield { path, message: "must not contain a space outside parentheses", hint };
    }
    if (depth < 0) return yield { path, message: "closes a parenthesis that is not open", hint };
  }
  if (depth > 0) yield { path, message: "has an unclosed parenthesis", hint };
}
