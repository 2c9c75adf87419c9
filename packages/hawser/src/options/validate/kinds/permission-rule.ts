import { type Kind, kind, type Problem } from "../../../base/index.js";

/**
 * A tool's name, or a permission rule such as `Bash(git *)`. The CLI splits a list of them at
 * commas and spaces outside parentheses, and an open parenthesis swallows everything after it.
 */
export const rule: Kind = {
  name: "rule",
  *problems(value, path) {
    yield* kind.argument.problems(value, path);
    if (typeof value === "string") yield* split(value, path);
  },
};

/**
 * Whether the CLI reads the rule correctly from a list on its command line. There the first closing
 * parenthesis ends the rule, even a nested or escaped one.
 */
export function isListable(text: string): boolean {
  return /^[^()]*(\([^()]*\))?$/.test(text);
}

/**
 * The rule with the parentheses inside its pattern escaped, as settings need it. The CLI silently
 * drops a rule whose parentheses it cannot match.
 */
export function escapeRule(text: string): string {
  const open = text.indexOf("(") + 1;
  if (open === 0) return text;
  const pattern = text.slice(open, -1).replace(/\\.|[()]/gs, (part) => PARENTHESES[part] ?? part);
  return `${text.slice(0, open)}${pattern})`;
}

const PARENTHESES: Readonly<Record<string, string>> = { "(": "\\(", ")": "\\)" };

const HINT = "Write one rule as `Tool` or `Tool(pattern)`, and each rule as its own entry.";

function* split(text: string, path: string): Iterable<Problem> {
  let depth = 0;
  let open = false;
  let closed = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    closed = char === ")";
    if (char === "\\") i++;
    else if (char === "(") {
      open = true;
      depth++;
    } else if (closed) depth = Math.max(0, depth - 1);
    else if (depth === 0 && (char === "," || char === " ")) {
      const what = char === "," ? "comma" : "space";
      return yield { path, message: `must not contain a ${what} outside parentheses`, hint: HINT };
    }
    if (closed && !open) return yield { path, message: "closes no parenthesis", hint: HINT };
  }
  if (text.endsWith("()")) yield { path, message: "has empty parentheses", hint: HINT };
  if (open && !closed) yield { path, message: "has an unclosed parenthesis", hint: HINT };
}
