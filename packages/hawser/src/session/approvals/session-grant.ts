import { type CanUseToolContext, toolRow } from "../../options/index.js";
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
  context: CanUseToolContext & { readonly requiresUserInteraction?: boolean },
): SessionGrant | undefined {
  const { sessionId, suppressAlwaysAllowRule, requiresUserInteraction, suggestions } = context;
  // Without an id, one session cannot be told from another.
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
 * The fields by which another call counts as the same kind of call: the command, the file, the address.
 * A tool of an MCP server, and a built-in tool that can do no harm, is one kind of call as a whole. Of
 * any other tool, only the same call again is the same kind of call.
 */
function fieldsAlike(tool: string, input: Input): Input {
  const { commands = [], paths = [] } = toolRow(tool);
  const named = [...commands, ...paths, ...(MORE_FIELDS[tool] ?? [])];
  const fields = named.filter((field) => input[field] !== undefined);
  if (fields.length > 0) return Object.fromEntries(fields.map((field) => [field, input[field]]));
  return tool.startsWith("mcp__") || HARMLESS.has(tool) ? {} : input;
}

const MORE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Skill: ["skill", "args"],
  WebFetch: ["url"],
};

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
