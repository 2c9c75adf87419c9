// Which tools exist, and which of them need no permission. Rules about input are not supported.
import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { allowedRules, current, disallowedRules, folders, tools } from "./flags.mjs";
import { isServed, ownerOf } from "./mcp.mjs";

const allowed = new Set(allowedRules);
const disallowed = new Set(disallowedRules);
const kept = tools && new Set(tools.map(today));

/** The CLI's error for a call of a tool that does not exist; undefined if it exists. */
export function lackOf(name) {
  const isMcp = name.startsWith("mcp__");
  const isThere = isMcp ? isServed(name) : isBuiltIn(name) || ownerOf(name) !== undefined;
  if (isThere && !namesOf(name).some((each) => disallowed.has(each))) return undefined;
  const why = BUILT_IN.has(name)
    ? `. ${name} is disabled for this session, in subagents as well as here.`
    : "";
  return `Error: No such tool available: ${name}${why}`;
}

function isBuiltIn(name) {
  return kept?.has(today(name)) ?? true;
}

/** The built-in tools that exist. */
export function builtInTools() {
  return [...BUILT_IN].filter((name) => lackOf(name) === undefined);
}

/** Why a call needs no permission: `{ reason }`; undefined if it needs one. */
export function passOf({ name, input }) {
  if (current.mode === "bypassPermissions") return { reason: "mode" };
  if (namesOf(name).some((each) => allowed.has(each))) return { reason: "rule" };
  if (HARMLESS.has(name)) return {};
  const isFree = READS.has(name) || (current.mode === "acceptEdits" && EDITS.has(name));
  return isFree && isInside(input) ? { reason: "mode" } : undefined;
}

/** Applies the updates that the host sent with its yes. */
export function applyUpdates(updates = []) {
  for (const { type, mode, behavior, rules } of updates) {
    if (type === "setMode") current.mode = mode;
    if (type !== "addRules" || behavior !== "allow") continue;
    for (const rule of rules) if (rule.ruleContent === undefined) allowed.add(rule.toolName);
  }
}

/** The names that a rule may use for a tool. */
function namesOf(name) {
  const owner = ownerOf(name);
  const full = owner === undefined ? name : `mcp__${owner.server}__${owner.tool}`;
  const [, server] = /^(mcp__.+?)__/.exec(full) ?? [];
  if (server !== undefined) return [name, full, server, `${server}__*`];
  return name === "Agent" || name === "Task" ? ["Agent", "Task"] : [name];
}

function today(name) {
  return name === "Agent" ? "Task" : name;
}

/** Whether the path of a call is inside a folder of this session. */
function isInside({ file_path, notebook_path, path }) {
  const place = real(resolve(file_path ?? notebook_path ?? path ?? "."));
  return [".", ...folders].some((folder) => {
    const way = relative(real(resolve(folder)), place);
    return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  });
}

function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return path; // The file does not exist; a scenario needs no files.
  }
}

const READS = new Set(["Read", "Grep", "Glob"]);
const EDITS = new Set(["Edit", "Write", "NotebookEdit"]);
const HARMLESS = new Set([
  ...["Agent", "Task", "ListAgents", "SendMessage", "ToolSearch", "ScheduleWakeup", "TodoWrite"],
  ...["TaskCreate", "TaskGet", "TaskList", "TaskStop", "TaskUpdate"],
  ...["CronCreate", "CronDelete", "CronList"],
]);
const BUILT_IN = new Set([
  ...[...READS, ...EDITS, ...HARMLESS],
  ...["AskUserQuestion", "Bash", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree"],
  ...["Monitor", "ReportFindings", "Skill", "WebFetch", "WebSearch", "Workflow"],
]);
