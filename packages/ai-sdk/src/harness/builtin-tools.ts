import {
  commonTool,
  HARNESS_V1_BUILTIN_TOOLS,
  type HarnessV1BuiltinTool,
  type HarnessV1BuiltinToolFiltering,
  type HarnessV1BuiltinToolUseKind,
  type HarnessV1QuestionsToolInput,
  type HarnessV1QuestionsToolOutput,
} from "@ai-sdk/harness";
import type { BuiltinTool } from "hawser";

/**
 * The tools of the CLI, by the names that a `HarnessAgent` shows. A tool that all harnesses have goes by their common
 * name. A tool that is not in this table is shown by the CLI's name, as a dynamic tool.
 *
 * `readonly` changes no file and runs no command, `edit` changes files, and `bash` runs commands.
 */
export const BUILTIN_TOOLS = {
  read: commonTool<"read", ReadInput>("read", {
    ...native("Read", "readonly", "Reads a file: text, an image, a PDF or a notebook."),
    inputSchema: passing<ReadInput>(),
  }),
  write: commonTool<"write", WriteInput>("write", {
    ...native("Write", "edit", "Writes a file."),
    inputSchema: passing<WriteInput>(),
  }),
  edit: commonTool<"edit", EditInput>("edit", {
    ...native("Edit", "edit", "Replaces a text in a file."),
    inputSchema: passing<EditInput>(),
  }),
  bash: commonTool<"bash", BashInput>("bash", {
    ...native("Bash", "bash", "Runs a command in a shell."),
    inputSchema: passing<BashInput>(),
  }),
  glob: commonTool<"glob", GlobInput>("glob", {
    ...native("Glob", "readonly", "Finds files by a pattern."),
    inputSchema: passing<GlobInput>(),
  }),
  grep: commonTool<"grep", GrepInput>("grep", {
    ...native("Grep", "readonly", "Finds lines in files by a regular expression."),
    inputSchema: passing<GrepInput>(),
  }),
  webSearch: commonTool<"webSearch", WebSearchInput>("webSearch", {
    ...native("WebSearch", "readonly", "Searches the web."),
    inputSchema: passing<WebSearchInput>(),
  }),
  askUserQuestions: questionsTool(),
  WebFetch: cliTool<{ url: string; prompt: string }>("readonly", "Reads a web page."),
  NotebookEdit: cliTool<{ notebook_path: string; new_source: string }>(
    "edit",
    "Changes a cell of a notebook.",
  ),
  Agent: cliTool<{ description: string; prompt: string; subagent_type?: string }>(
    "readonly",
    "Starts a sub-agent. Its calls are judged one by one.",
  ),
  Skill: cliTool<{ skill: string; args?: string }>("readonly", "Loads a skill."),
  ToolSearch: cliTool<{ query: string }>("readonly", "Finds tools that are not loaded yet."),
  TodoWrite: cliTool<{ todos: unknown[] }>("readonly", "Writes the list of tasks."),
  TaskCreate: cliTool<{ subject: string; description: string }>("readonly", "Adds a task."),
  TaskGet: cliTool<{ taskId: string }>("readonly", "Reads a task."),
  TaskList: cliTool<object>("readonly", "Lists the tasks."),
  TaskUpdate: cliTool<{ taskId: string }>("readonly", "Changes a task."),
  TaskStop: cliTool<{ task_id?: string }>("bash", "Ends a background task."),
  LSP: cliTool<object>("readonly", "Asks a language server."),
  Monitor: cliTool<{ command: string }>("bash", "Runs a command and watches its output."),
  PowerShell: cliTool<{ command: string }>("bash", "Runs a command in PowerShell."),
  ListMcpResourcesTool: cliTool<{ server?: string }>("readonly", "Lists resources of MCP servers."),
  ReadMcpResourceTool: cliTool<{ server: string; uri: string }>(
    "readonly",
    "Reads a resource of an MCP server.",
  ),
  EnterPlanMode: cliTool<object>("readonly", "Begins to plan."),
  ExitPlanMode: cliTool<object>("edit", "Shows a plan and asks to carry it out."),
  EnterWorktree: cliTool<{ name?: string }>("edit", "Makes a git worktree and works there."),
  ExitWorktree: cliTool<{ action: "keep" | "remove" }>("edit", "Leaves a git worktree."),
} as const satisfies Record<string, ToolRow>;

export type BuiltinTools = typeof BUILTIN_TOOLS;

/** The name that a `HarnessAgent` shows for a tool of the CLI. */
export function shownName(nativeName: string): string {
  return SHOWN.get(nativeName) ?? nativeName;
}

/** The CLI's name of a tool that a `HarnessAgent` names. */
export function nativeName(shown: string): string {
  return TABLE.get(shown)?.nativeName ?? shown;
}

/** Whether a tool of the CLI is in the table, by the name that a `HarnessAgent` shows. */
export function isKnown(shown: string): boolean {
  return TABLE.has(shown);
}

/** The CLI's names of all tools of these kinds. */
export function nativeNames(kinds: readonly HarnessV1BuiltinToolUseKind[]): readonly string[] {
  const fitting = [...TABLE].filter(([, { toolUseKind }]) => {
    return toolUseKind !== undefined && kinds.includes(toolUseKind);
  });
  return fitting.map(([name]) => nativeName(name));
}

/** The options of the CLI that leave out inactive tools. */
export function filteringOptions(filtering: HarnessV1BuiltinToolFiltering | undefined): {
  readonly tools?: string[];
  readonly disallowedTools?: string[];
} {
  if (filtering === undefined) return {};
  const names = filtering.toolNames.map(nativeName);
  return filtering.mode === "allow" ? { tools: names } : { disallowedTools: names };
}

type ToolRow = Pick<HarnessV1BuiltinTool, "nativeName" | "toolUseKind">;

const TABLE: ReadonlyMap<string, ToolRow> = new Map(Object.entries<ToolRow>(BUILTIN_TOOLS));
const SHOWN = new Map([...TABLE.keys()].map((name) => [nativeName(name), name]));

interface ReadInput {
  file_path: string;
  offset?: number;
  limit?: number;
  pages?: string;
}

interface WriteInput {
  file_path: string;
  content: string;
}

interface EditInput {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

interface BashInput {
  command: string;
  description?: string;
  timeout?: number;
  run_in_background?: boolean;
}

interface GlobInput {
  pattern: string;
  path?: string;
}

interface GrepInput {
  pattern: string;
  path?: string;
  glob?: string;
  output_mode?: "content" | "files_with_matches" | "count";
}

interface WebSearchInput {
  query: string;
  allowed_domains?: string[];
  blocked_domains?: string[];
}

function native(
  nativeName: BuiltinTool,
  toolUseKind: HarnessV1BuiltinToolUseKind,
  description: string,
) {
  return { nativeName, toolUseKind, description };
}

/** The host answers the questions of the model, so this tool has the input and the output of all harnesses. */
function questionsTool(): HarnessV1BuiltinTool<
  HarnessV1QuestionsToolInput,
  HarnessV1QuestionsToolOutput
> {
  return {
    ...HARNESS_V1_BUILTIN_TOOLS.askUserQuestions,
    ...native("AskUserQuestion", "readonly", "Asks the user."),
    commonName: "askUserQuestions",
  } as HarnessV1BuiltinTool<HarnessV1QuestionsToolInput, HarnessV1QuestionsToolOutput>;
}

function cliTool<Input>(
  toolUseKind: HarnessV1BuiltinToolUseKind,
  description: string,
): HarnessV1BuiltinTool<Input> {
  const tool: unknown = { description, toolUseKind, inputSchema: passing<Input>() };
  return tool as HarnessV1BuiltinTool<Input>;
}

/**
 * The schema of an input that the CLI has checked already, as a Standard Schema. A newer CLI may have further fields, so
 * every input passes.
 */
function passing<Input>() {
  return {
    "~standard": {
      version: 1 as const,
      vendor: "hawser",
      validate: (value: unknown) => ({ value: value as Input }),
      jsonSchema: {
        input: (): Record<string, unknown> => ({ type: "object" }),
        output: (): Record<string, unknown> => ({ type: "object" }),
      },
    },
  };
}
