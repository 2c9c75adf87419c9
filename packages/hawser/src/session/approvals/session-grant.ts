import type { CanUseToolContext } from "../../options/index.js";
import type { PermissionUpdate } from "../../wire/index.js";
import type { SessionGrant } from "./approval.js";

type Input = Readonly<Record<string, unknown>>;

/**
 * What "allow for this session" means for a call; undefined if the call can only be allowed once.
 *
 * The CLI gets the rules that it suggests, and never more. A rule of the CLI does not silence a hook or a
 * policy that asks about every call, and for such a question the CLI suggests nothing (observed: 2.1.197,
 * 2.1.325). Therefore the `Approvals` object also answers further calls that are like this one.
 */
export function sessionGrant(
  tool: string,
  input: Input,
  context: CanUseToolContext,
): SessionGrant | undefined {
  // Without an id, one session cannot be told from another.
  const { sessionId, suppressAlwaysAllowRule, requiresUserInteraction, suggestions } = context;
  if (sessionId === undefined || suppressAlwaysAllowRule || requiresUserInteraction) {
    return undefined;
  }
  return { updates: narrowest(suggestions ?? []), input: fieldsAlike(tool, input) };
}

/**
 * A mode or a folder grants more than calls like this one, so such an update counts only if the CLI
 * suggests nothing narrower.
 */
function narrowest(suggestions: readonly PermissionUpdate[]): readonly PermissionUpdate[] {
  const rules = suggestions.filter((each) => each.type === "addRules" && each.behavior === "allow");
  if (rules.length > 0) return rules;
  return suggestions.filter(({ type }) => type === "setMode" || type === "addDirectories");
}

/**
 * The fields by which another call counts as the same kind of call. A tool of an MCP server, and a
 * built-in tool that can do no harm, is one kind of call as a whole. For a tool that only reads or edits
 * what its main field names, the main field counts. Of any other tool, all fields count, because a further
 * field can change what the call may do: `dangerouslyDisableSandbox` of Bash, `args` of Workflow.
 */
function fieldsAlike(tool: string, input: Input): Input {
  if (tool.startsWith("mcp__") || HARMLESS.has(tool)) return {};
  const main = MAIN_FIELDS.get(tool);
  if (main !== undefined && input[main] !== undefined) return { [main]: input[main] };
  const ignored = IGNORED_FIELDS.get(tool) ?? [];
  return Object.fromEntries(Object.entries(input).filter(([field]) => !ignored.includes(field)));
}

/** Glob is absent, because its pattern can name another folder than its path. */
const MAIN_FIELDS: ReadonlyMap<string, string> = new Map([
  ["Edit", "file_path"],
  ["Grep", "path"],
  ["LS", "path"],
  ["LSP", "filePath"],
  ["MultiEdit", "file_path"],
  ["NotebookEdit", "notebook_path"],
  ["NotebookRead", "notebook_path"],
  ["Read", "file_path"],
  ["WebFetch", "url"],
  ["Write", "file_path"],
]);

/**
 * The words of the model about a command, and the time limit of a command. Neither changes what the
 * command may do, and the model often writes other ones for the same command.
 */
const IGNORED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Bash", ["description", "timeout"]],
  ["Monitor", ["description", "timeout_ms"]],
  ["PowerShell", ["description", "timeout"]],
]);

/** Tools that take no command, path or address. */
const HARMLESS: ReadonlySet<string> = new Set([
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "TodoWrite",
  "ToolSearch",
  "WebSearch",
]);
