/**
 * Whether a rule of a profile allows all that another rule allows. Rules are names of tools (`Read`), with a pattern
 * (`Bash(git log *)`), servers (`mcp__files`), and all tools of a server (`mcp__files__*`). A pattern covers only the
 * same pattern: whether one pattern is within another is the CLI's to know, and a doubt must not widen rights.
 */
export function coversRule(profile: string, run: string): boolean {
  if (profile === run) return true;
  const [tool] = splitRule(run);
  const [allowed, pattern] = splitRule(profile);
  if (pattern !== undefined && pattern !== "" && pattern !== "*") return false;
  if (allowed === tool) return true;
  if (!allowed.startsWith("mcp__")) return false;
  const server = allowed.endsWith("__*") ? allowed.slice(0, -"__*".length) : allowed;
  // `mcp__files` is a server, and `mcp__files__read` is one of its tools. A tool covers nothing but itself.
  const isServer = !server.slice("mcp__".length).includes("__");
  return isServer && (tool === server || tool.startsWith(`${server}__`));
}

/** The tool of a rule, and the pattern for its calls. */
export function splitRule(rule: string): [tool: string, pattern: string | undefined] {
  const open = rule.indexOf("(");
  if (open < 0 || !rule.endsWith(")")) return [rule, undefined];
  return [rule.slice(0, open), rule.slice(open + 1, -1)];
}
