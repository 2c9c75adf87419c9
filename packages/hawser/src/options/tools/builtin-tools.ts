import type { JsonObject } from "../../wire/index.js";
import { mcpToolPrefix } from "../validate/kinds/mcp-servers.js";
import { callsInPrompt, filesInArguments } from "./calls-in-prompt.js";

/** A tool call, as the policy (`rules`) judges it. */
export interface ToolCall {
  readonly tool: string;
  readonly input: JsonObject;
}

/** What the policy must know about a built-in tool of the CLI. */
export interface ToolRow {
  /** Older names of the tool, which rules and matchers still accept. */
  readonly formerly?: readonly string[];
  /** Fields that hold a command. A rule that denies or asks about Bash covers them. */
  readonly commands?: readonly string[];
  /** Fields that hold a path or a list of paths. Rules on them resolve links. */
  readonly paths?: readonly string[];
  /**
   * What the tool writes into files, each as the input of a call of Edit. A rule that denies or
   * asks about Edit or Write covers it.
   */
  readonly writes?: (input: JsonObject) => readonly JsonObject[];
  /** The input as the tool understands it, if a default or another field changes a path. */
  readonly meaning?: (input: JsonObject) => JsonObject;
  /**
   * The call under the name of another tool that has its effect. A rule that denies or asks
   * about the other call covers this call. A rule that allows the other call does not, because it
   * allows another tool.
   */
  readonly sameAs?: (input: JsonObject) => readonly ToolCall[];
  /**
   * Further calls that the CLI makes because of this call and that no hook sees. The policy judges
   * each of them, and the strictest decision counts.
   */
  readonly leadsTo?: (input: JsonObject) => readonly ToolCall[];
  /**
   * The tool whose rules the CLI uses to allow a call of this tool: Bash with the command, Read or
   * Edit with the path. Set only where a pinned CLI was observed to do so.
   */
  readonly allowedAs?: "Bash" | "Edit" | "Read";
  /** Fields that hold a name which the CLI also accepts with other case, blanks or separators. */
  readonly names?: readonly string[];
  /**
   * Fields whose names look like a command or a path, with the reason why the policy ignores them.
   */
  readonly reviewed?: Readonly<Record<string, string>>;
}

/** The names of the CLI's built-in tools, as the official Agent SDK lists them and in its order. */
export const BUILTIN_TOOL_NAMES = [
  "Agent",
  "Artifact",
  "AskUserQuestion",
  "Bash",
  "ClaudeDesign",
  "CronCreate",
  "CronDelete",
  "CronList",
  "Edit",
  "EndConversation",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitPlanMode",
  "ExitWorktree",
  "Glob",
  "Grep",
  "ListAgents",
  "ListMcpResourcesTool",
  "LSP",
  "Monitor",
  "NotebookEdit",
  "OfferChromeSetup",
  "PowerShell",
  "Projects",
  "propose_skills",
  "PushNotification",
  "Read",
  "ReadMcpResourceDirTool",
  "ReadMcpResourceTool",
  "ReadNotifications",
  "RemoteTrigger",
  "ReportFindings",
  "ScheduleWakeup",
  "SendFeedback",
  "SendMessage",
  "SendUserFile",
  "SendUserMessage",
  "SetGoal",
  "ShareOnboardingGuide",
  "ShowOnboardingRolePicker",
  "Skill",
  "SubagentHandback",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskStop",
  "TaskUpdate",
  "TodoWrite",
  "ToolSearch",
  "WaitForMcpServers",
  "WebFetch",
  "WebSearch",
  "Workflow",
  "Write",
] as const;

/** Tools of some CLI versions that are not in the official list. */
export const OTHER_TOOL_NAMES = [
  "BashOutput",
  "LS",
  "MultiEdit",
  "NotebookRead",
  "ProposeGoal",
  "REPL",
  "SlashCommand",
  "StructuredOutput",
  "TaskOutput",
  "TeamCreate",
  "TeamDelete",
] as const;

/** The name of a built-in tool of the CLI. */
export type BuiltinTool = (typeof BUILTIN_TOOL_NAMES)[number] | (typeof OTHER_TOOL_NAMES)[number];

/** The name of any tool. Editors complete the built-in ones. */
export type ToolName = BuiltinTool | (string & {});

/**
 * What each tool can be used for. A tool without a row can do nothing that a rule on another tool
 * must cover. `test/options/builtin-tools.full.test.ts` compares this table with the tools that each
 * pinned CLI offers to the model. The test fails for a tool that is in no list above, and for a
 * field that looks like a command or a path but is in no row.
 */
export const BUILTIN_TOOLS: Readonly<Partial<Record<BuiltinTool, ToolRow>>> = {
  Agent: { formerly: ["Task"], names: ["subagent_type"], meaning: withAgent },
  Artifact: { paths: ["file_path"] },
  Bash: { commands: ["command"], allowedAs: "Bash" },
  CronCreate: { leadsTo: ({ prompt }) => callsInPrompt(prompt) },
  Edit: { paths: ["file_path"], writes: (input) => [input], allowedAs: "Edit" },
  EnterWorktree: { paths: ["path"] },
  Glob: { paths: ["path"], meaning: globbed, allowedAs: "Read" },
  Grep: {
    paths: ["path"],
    meaning: searched,
    sameAs: (input) => reading(searched(input)["path"]),
    allowedAs: "Read",
  },
  ListAgents: { formerly: ["ListPeers"] },
  ListMcpResourcesTool: { formerly: ["ListMcpResources"], sameAs: usingServer },
  LSP: { paths: ["filePath"], sameAs: ({ filePath }) => reading(filePath) },
  Monitor: {
    commands: ["command"],
    sameAs: ({ ws }) => fetching(ws),
    allowedAs: "Bash",
  },
  NotebookEdit: {
    paths: ["notebook_path"],
    writes: ({ notebook_path, new_source }) => [
      { file_path: notebook_path, new_string: new_source },
    ],
    allowedAs: "Edit",
  },
  PowerShell: { commands: ["command"] },
  Read: { paths: ["file_path"], allowedAs: "Read" },
  ReadMcpResourceDirTool: { formerly: ["ReadMcpResourceDir"], sameAs: usingServer },
  ReadMcpResourceTool: { formerly: ["ReadMcpResource"], sameAs: usingServer },
  ReportFindings: { reviewed: { file: "names a place in a report, and nothing is opened" } },
  ScheduleWakeup: { leadsTo: ({ prompt }) => callsInPrompt(prompt) },
  SendMessage: {},
  SendUserFile: { paths: ["files"], sameAs: ({ files }) => readingAll(files) },
  SendUserMessage: {
    formerly: ["Brief"],
    paths: ["attachments"],
    sameAs: ({ attachments }) => readingAll(attachments),
    reviewed: { file_uuid: "names an upload", file_name: "names an upload" },
  },
  Skill: { names: ["skill"], leadsTo: ({ args }) => filesInArguments(args) },
  TaskStop: {
    formerly: ["KillShell", "KillBash"],
    reviewed: { shell_id: "names a task that already runs" },
  },
  Workflow: {
    paths: ["scriptPath"],
    reviewed: {
      script: "it reaches nothing but agents, and hooks see each call of those",
    },
  },
  Write: {
    paths: ["file_path"],
    writes: ({ file_path, content }) => [{ file_path, new_string: content }],
    allowedAs: "Edit",
  },

  LS: { paths: ["path"] },
  MultiEdit: { paths: ["file_path"], writes: editsOf },
  NotebookRead: {
    paths: ["notebook_path"],
    sameAs: ({ notebook_path }) => reading(notebook_path),
  },
  REPL: {
    reviewed: { code: "it reaches nothing but tools, and hooks see each call of those" },
  },
  SlashCommand: { leadsTo: ({ command }) => callsInPrompt(command) },
};

const SHELL = "Bash";

const ROWS: ReadonlyMap<string, ToolRow> = new Map(Object.entries(BUILTIN_TOOLS));

/** Older names of tools, which rules and matchers still accept, with the newer names. */
export const LEGACY_TOOL_NAME_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  [...ROWS].flatMap(([name, { formerly = [] }]) => formerly.map((older) => [older, name])),
);

const NEWEST: ReadonlyMap<string, string> = new Map(Object.entries(LEGACY_TOOL_NAME_ALIASES));

/** Every name of a built-in tool, older names included. */
export const KNOWN_TOOL_NAMES: readonly string[] = [
  ...BUILTIN_TOOL_NAMES,
  ...OTHER_TOOL_NAMES,
  ...NEWEST.keys(),
];

/** All names that the tool has or had, the given name first. A CLI uses the name of its version. */
export function namesOfTool(tool: string): readonly string[] {
  const newest = NEWEST.get(tool) ?? tool;
  return [...new Set([tool, newest, ...(ROWS.get(newest)?.formerly ?? [])])];
}

/** The row of the tool, by any of its names. For a tool that is not built in, the row is empty. */
export function toolRow(tool: string): ToolRow {
  return ROWS.get(NEWEST.get(tool) ?? tool) ?? {};
}

/** The call under the names of other tools that have its effect. */
export function sameCalls({ tool, input }: ToolCall): readonly ToolCall[] {
  const { commands = [], writes, sameAs } = toolRow(tool);
  const shell = commands
    .filter((field) => Object.hasOwn(input, field))
    .map((field) => ({ tool: SHELL, input: { ...input, command: input[field] } }));
  const edits = (writes?.(input) ?? []).flatMap((edit) => [
    { tool: "Edit", input: edit },
    { tool: "Write", input: { file_path: edit["file_path"], content: edit["new_string"] } },
  ]);
  const same = [...shell, ...edits].filter((call) => call.tool !== tool);
  return [...same, ...(sameAs?.(input) ?? [])];
}

function reading(path: unknown): readonly ToolCall[] {
  return typeof path === "string" ? [{ tool: "Read", input: { file_path: path } }] : [];
}

function readingAll(paths: unknown): readonly ToolCall[] {
  return Array.isArray(paths) ? paths.flatMap(reading) : reading(paths);
}

/** The edits of a MultiEdit. A call without edits still names a file. */
function editsOf({ file_path, edits }: JsonObject): readonly JsonObject[] {
  const list = Array.isArray(edits) && edits.length > 0 ? edits : [{}];
  return list.map((edit) => ({ ...Object(edit), file_path }));
}

/** Watching a web socket counts as fetching its address. */
function fetching(socket: unknown): readonly ToolCall[] {
  if (typeof socket !== "object" || socket === null) return [];
  return [{ tool: "WebFetch", input: { url: Reflect.get(socket, "url") } }];
}

/**
 * A rule on all tools of an MCP server, such as `mcp__a__*`, covers the resources of that server.
 */
function usingServer({ server }: JsonObject): readonly ToolCall[] {
  return typeof server === "string" ? [{ tool: mcpToolPrefix(server), input: {} }] : [];
}

/** Without `subagent_type`, the CLI starts its general agent. */
function withAgent(input: JsonObject): JsonObject {
  return { ...input, subagent_type: input["subagent_type"] ?? "general-purpose" };
}

/** Without `path`, the CLI searches its working directory. */
function searched(input: JsonObject): JsonObject {
  return { ...input, path: input["path"] ?? "." };
}

/**
 * A pattern can name another folder than `path`: `/etc/*`, `../*`. If `..` follows a wildcard, the
 * search can be anywhere.
 */
function globbed(input: JsonObject): JsonObject {
  const { path = ".", pattern } = input;
  if (typeof path !== "string" || typeof pattern !== "string") return input;
  const fixed = /^[^*?[{]*\//.exec(pattern)?.[0] ?? "";
  if (canClimb(pattern.slice(fixed.length))) return { ...input, path: "/" };
  if (fixed === "") return { ...input, path };
  const isAbsolute = /^(?:[/\\~]|[A-Za-z]:)/.test(fixed);
  return { ...input, path: isAbsolute ? fixed : `${path}/${fixed}` };
}

/** Whether a pattern has a part that can stand for `..`, such as `.{x,.}` or `[.][.]`. */
function canClimb(pattern: string): boolean {
  const plain = pattern.replaceAll("\\", "");
  if (plain.includes("..")) return true;
  return plain.split("/").some((part) => {
    const outside = part.replace(/\{[^}]*\}?|\[[^\]]*\]?|[@+!?*]?\([^)]*\)?/g, "");
    return outside !== part && part.includes(".") && /^\.*$/.test(outside);
  });
}
