import { dirname, isAbsolute, resolve } from "node:path";
import { matchesWildcard, namesOfTool, toolRow } from "../../options/index.js";
import type { PermissionDenial } from "../../wire/index.js";
import { quoteForShell } from "../command/quote-for-shell.js";

export interface DeniedCallContext {
  readonly cwd: string;
  /** The rules of `--deny`. */
  readonly denied: readonly string[];
}

type Input = Readonly<Record<string, unknown>>;

/** Lines about calls that were denied without asking: each tool, and the flag that would permit it. */
export function deniedCallLines(
  denials: readonly PermissionDenial[],
  { cwd, denied }: DeniedCallContext,
): string[] {
  const lines = denials.map(({ tool_name: tool, tool_input }) => {
    const input: Input = typeof tool_input === "object" ? { ...tool_input } : {};
    const rule = allowRule(tool, input, cwd);
    const rivals = denied.filter((each) => concerns(each, tool));
    if (rivals.some((each) => each === rule || fits(each, tool, input))) {
      return `${tool} was denied: a --deny rule matches the call.`;
    }
    const unless = rivals.length > 0 ? " A --deny rule that matches wins." : "";
    return rule === undefined
      ? `${tool} was denied. No --allow rule fits only this call; on a terminal, hawser asks you.${unless}`
      : `${tool} was denied. --allow ${quoteForShell(rule)} allows ${extent(tool, rule)}.${unless}`;
  });
  return [...new Set(lines)];
}

/**
 * The narrowest rule by which the CLI permits a call: this command, this file, this domain. The name of
 * the tool only for a web search and for MCP tools, which have no narrower rule. Undefined for every
 * other tool, and where only a rule for more would permit the call.
 */
export function allowRule(tool: string, input: Input, cwd: string): string | undefined {
  const { allowedAs } = toolRow(tool);
  if (allowedAs === "Bash") return commandRule(commandOf(tool, input));
  if (allowedAs !== undefined) return pathRule(allowedAs, pathOf(tool, input), cwd);
  if (tool === "WebFetch") return domainRule(input["url"]);
  return tool === "WebSearch" || /^mcp__[\w-]+$/.test(tool) ? tool : undefined;
}

function commandOf(tool: string, input: Input): unknown {
  return input[toolRow(tool).commands?.[0] ?? ""];
}

/**
 * The path that the CLI asks about. Observed with Glob: `path`, also if the pattern leads elsewhere; the
 * folder of the pattern if that is absolute. If both are given, the versions of the CLI differ.
 */
function pathOf(tool: string, input: Input): unknown {
  const { paths = [], meaning } = toolRow(tool);
  const { path, pattern } = input;
  if (tool === "Glob" && !(typeof pattern === "string" && isAbsolute(pattern))) return path ?? ".";
  if (tool === "Glob" && path !== undefined) return undefined;
  return (meaning?.(input) ?? input)[paths[0] ?? ""];
}

/** Says what a rule permits. */
function extent(tool: string, rule: string): string {
  if (rule === tool) return "every call of this tool";
  return tool === "Glob" || tool === "Grep" ? "it and all reading there" : "it";
}

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

/** In characters. A longer command is too long to copy. */
const LONGEST_COMMAND = 300;

/** The parentheses of a rule must match, including those in quotes. */
function isBalanced(text: string): boolean {
  let open = 0;
  for (const character of text) {
    if (character === "(") open += 1;
    if (character === ")") open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

/** Only for a host that is a plain name or an address, because `*` in a rule stands for every host. */
function domainRule(url: unknown): string | undefined {
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  if (!/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/i.test(hostname)) return undefined;
  return `WebFetch(domain:${hostname})`;
}

/**
 * A rule for exactly this path. Two slashes begin a path from the root; the rest is a pattern as in
 * .gitignore. Observed: blanks at the end are lost, and upper and lower case do not differ, which no rule
 * can change. Only the CLI knows which home folder `~` means. A rule for the root would permit every path.
 */
function pathRule(name: string, path: unknown, cwd: string): string | undefined {
  if (typeof path !== "string" || path.startsWith("~") || process.platform === "win32") {
    return undefined;
  }
  const whole = resolve(cwd, path);
  if (whole === dirname(whole) || /[\\\p{C}]|\s$/u.test(whole) || !isBalanced(whole)) {
    return undefined;
  }
  return `${name}(/${whole.replace(/[*?[\]!#]/g, "\\$&")})`;
}

/**
 * Whether a rule of `--deny` can be about the tool. Observed: `Edit` alone leaves Write as it is, and
 * `Edit(a.txt)` denies Write for that file too.
 */
function concerns(rule: string, tool: string): boolean {
  const { name, pattern } = partsOf(rule);
  if (namesOfTool(tool).includes(name)) return true;
  return pattern !== undefined && name === toolRow(tool).allowedAs;
}

/** Whether a rule about the tool is certain to deny the call. Patterns for paths are left to the CLI. */
function fits(rule: string, tool: string, input: Input): boolean {
  const { pattern } = partsOf(rule);
  if (pattern === undefined) return true;
  const command = commandOf(tool, input);
  if (typeof command !== "string") return false;
  const start = pattern.replace(/[: ]\*$/, "");
  const patterns = start === pattern ? [pattern] : [start, `${start} *`];
  const parts = command.split(/[;&|\n]+/).map((part) => part.trim());
  return [command.trim(), ...parts].some((part) =>
    patterns.some((each) => matchesWildcard(each, part)),
  );
}

/** The name of the tool in a rule, and the pattern in parentheses after it. */
function partsOf(rule: string): { readonly name: string; readonly pattern: string | undefined } {
  const [, name = rule, pattern] = /^([^(]*)\((.*)\)$/s.exec(rule) ?? [];
  return { name, pattern };
}
