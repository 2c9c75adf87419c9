import { resolve } from "node:path";
import type { PermissionDenial } from "../wire/index.js";
import { shellQuoted } from "./shell.js";

export interface RefusalContext {
  readonly cwd: string;
  /** The rules of `--deny`. */
  readonly denied: readonly string[];
}

/** What to tell about calls that were refused without asking: each tool, and what would permit it. */
export function refusalLines(
  denials: readonly PermissionDenial[],
  { cwd, denied }: RefusalContext,
): string[] {
  const lines = denials.map(({ tool_name: tool, tool_input }) => {
    if (denied.some((rule) => toolOf(rule) === tool || toolOf(rule) === RULE_NAMES[tool])) {
      return `${tool} was refused, and --deny has a rule for it.`;
    }
    const input = typeof tool_input === "object" ? { ...tool_input } : {};
    const rule = allowRule(tool, input, cwd);
    return rule === undefined
      ? `${tool} was refused. No rule permits just this call; in a terminal you are asked about it.`
      : `${tool} was refused; --allow ${shellQuoted(rule)} permits it.`;
  });
  return [...new Set(lines)];
}

/**
 * The narrowest rule by which the CLI permits a call: this command, this file, this domain. The name of
 * the tool where calls of it are all alike. Undefined where only a rule for far more would permit it.
 */
export function allowRule(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  cwd: string,
): string | undefined {
  if (tool === "Bash") return commandRule(input["command"]);
  if (tool === "WebFetch") return domainRule(input["url"]);
  const name = RULE_NAMES[tool];
  return name === undefined ? tool : pathRule(name, pathOf(input), cwd);
}

/** Rules about files are of two kinds, whichever tool reads or writes them. */
const RULE_NAMES: Readonly<Record<string, string>> = {
  Read: "Read",
  Glob: "Read",
  Grep: "Read",
  Edit: "Edit",
  Write: "Edit",
  NotebookEdit: "Edit",
};

/**
 * A rule for exactly this command. Observed with 2.1.325: `*` stands for anything and cannot be escaped,
 * a backslash is lost, and a pipe, a redirection or a background job needs rules for its parts.
 */
function commandRule(command: unknown): string | undefined {
  if (typeof command !== "string") return undefined;
  const said = command.trim();
  if (said === "" || said.length > LONGEST_COMMAND || /[*\\\p{C}]/u.test(said)) return undefined;
  const bare = said.replace(/'[^']*'|"[^"]*"/g, "");
  if (/['"|<>`]|(?<!&)&(?!&)/.test(bare) || !isBalanced(said)) return undefined;
  return `Bash(${said})`;
}

/** A longer one does not look like something to copy. */
const LONGEST_COMMAND = 300;

/** The parentheses of a rule must match, those in quotes included. */
function isBalanced(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === "(") open += 1;
    if (character === ")") open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

function domainRule(url: unknown): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  return `WebFetch(domain:${new URL(url).hostname})`;
}

function pathOf(input: Readonly<Record<string, unknown>>): unknown {
  return input["file_path"] ?? input["notebook_path"] ?? input["path"] ?? ".";
}

/** Two slashes begin a path from the root; the rest is a pattern as in .gitignore. */
function pathRule(name: string, path: unknown, cwd: string): string | undefined {
  if (typeof path !== "string" || process.platform === "win32") return undefined;
  const whole = resolve(cwd, path);
  if (/[\\\p{C}]/u.test(whole) || !isBalanced(whole)) return undefined;
  return `${name}(/${whole.replace(/[*?[\]!#]/g, "\\$&")})`;
}

function toolOf(rule: string): string {
  return rule.split("(", 1)[0] ?? rule;
}
