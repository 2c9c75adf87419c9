import { type AdvisedProblem, objectOf, type Problem } from "../../base/index.js";
import { isOfProject } from "../presets.js";

type Given = Readonly<Record<string, unknown>>;

/** Finds options that contradict each other, or that need another option. */
export function* contradictions(options: Given): Iterable<Problem> {
  for (const { path, message, hint, when } of RULES) {
    if (when(options)) yield { path, message, hint };
  }
}

interface Rule extends AdvisedProblem {
  readonly when: (options: Given) => boolean;
}

const hasProjectSource = (sources: unknown): boolean =>
  Array.isArray(sources) && sources.some(isOfProject);

const has = (value: unknown): boolean => value !== undefined && value !== false;

/** Servers are a map, or the path or the text of a file; without the flag, those of other files count too. */
const hasServers = ({ mcpServers, strictMcpConfig }: Given): boolean =>
  strictMcpConfig === false ||
  (typeof mcpServers === "string" ? mcpServers !== "" : isFilled(mcpServers));

/** Whether a list or a map has entries. */
const isFilled = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

const isChoice = (choice: unknown, tools: unknown): boolean => {
  if (choice === undefined || choice === "auto" || choice === "none") return true;
  const names = Array.isArray(tools) ? tools.map((tool) => objectOf(tool)["name"]) : [];
  return choice === "required" ? names.length > 0 : names.includes(objectOf(choice)["tool"]);
};

const RULES: readonly Rule[] = [
  {
    path: "canUseTool",
    message: "contradicts permissionPromptToolName: both answer the same question",
    hint: "Set only one of them.",
    when: (o) => has(o["canUseTool"]) && has(o["permissionPromptToolName"]),
  },
  {
    path: "fallbackModel",
    message: "is the same as model, so there is nothing to fall back to",
    hint: "Name another model, or leave `fallbackModel` out.",
    when: (o) => typeof o["model"] === "string" && o["model"] === o["fallbackModel"],
  },
  {
    path: "continue",
    message: "contradicts resume: they name different sessions",
    hint: "Set only one of them.",
    when: (o) => has(o["continue"]) && has(o["resume"]),
  },
  {
    path: "sessionId",
    message: "contradicts resume and continue: a resumed session already has an id",
    hint: "Set `forkSession`, or leave `sessionId` out.",
    when: (o) =>
      has(o["sessionId"]) && (has(o["resume"]) || has(o["continue"])) && !has(o["forkSession"]),
  },
  {
    path: "forkSession",
    message: "has nothing to fork",
    hint: "Set `resume` or `continue`, or leave `forkSession` out.",
    when: (o) => has(o["forkSession"]) && !has(o["resume"]) && !has(o["continue"]),
  },
  {
    path: "resumeSessionAt",
    message: "needs resume",
    hint: "Set `resume` to the session's id.",
    when: (o) => has(o["resumeSessionAt"]) && !has(o["resume"]),
  },
  {
    path: "resumeDropsTurn",
    message: "needs resumeSessionAt",
    hint: "Set `resumeSessionAt` to the message to resume at.",
    when: (o) => has(o["resumeDropsTurn"]) && !has(o["resumeSessionAt"]),
  },
  {
    path: "sessionStore",
    message: "contradicts persistSession: false, which leaves nothing to mirror",
    hint: "Leave `persistSession` out.",
    when: (o) => has(o["sessionStore"]) && o["persistSession"] === false,
  },
  {
    path: "projectKey",
    message: "needs sessionStore: on disk, a session belongs to its working directory",
    hint: "Set `sessionStore`, or leave `projectKey` out.",
    when: (o) => has(o["projectKey"]) && !has(o["sessionStore"]),
  },
  {
    path: "onStoreFailure",
    message: "needs sessionStore",
    hint: "Set `sessionStore`, or leave `onStoreFailure` out.",
    when: (o) => o["onStoreFailure"] === "end" && !has(o["sessionStore"]),
  },
  {
    path: "renewWithinMs",
    message:
      "contradicts recover: renewWithinMs ends the session for good, and recover would start it again",
    hint: "Leave `recover` out, and resume the session with `openSession()`.",
    when: (o) => has(o["renewWithinMs"]) && has(o["recover"]),
  },
  {
    path: "renewWithinMs",
    message:
      "contradicts spawnClaudeCodeProcess: the watchdog ends only processes that Hawser starts",
    hint: "Set only one of them.",
    when: (o) => has(o["renewWithinMs"]) && has(o["spawnClaudeCodeProcess"]),
  },
  {
    path: "cliPath",
    message: "contradicts pathToClaudeCodeExecutable: they name different files",
    hint: "Set only one of them.",
    when: ({ cliPath, pathToClaudeCodeExecutable: other }) =>
      has(cliPath) && has(other) && cliPath !== other,
  },
  {
    path: "apiKey",
    message: "contradicts oauthToken: a call has one credential",
    hint: "Set only one of them.",
    when: (o) => has(o["apiKey"]) && has(o["oauthToken"]),
  },
  {
    path: "schema",
    message: "contradicts outputFormat: an answer has one schema",
    hint: "Set only one of them.",
    when: (o) => has(o["schema"]) && has(o["outputFormat"]),
  },
  {
    path: "bare",
    message:
      "contradicts rules and hooks: in this mode the CLI calls no hook, so none would guard a tool",
    hint: "Leave `bare` out, or use `disallowedTools`, `allowedTools` and `canUseTool`.",
    // An empty list of rules denies every tool.
    when: (o) => has(o["bare"]) && (o["rules"] !== undefined || isFilled(o["hooks"])),
  },
  {
    path: "bare",
    message: "contradicts oauthToken: in this mode the CLI takes an API key only",
    hint: "Set `apiKey`, or leave `bare` out.",
    when: (o) => has(o["bare"]) && has(o["oauthToken"]),
  },
  {
    path: "history",
    message: "contradicts resume and continue: a call has one conversation",
    hint: "Set only one of them, or open the session with `openSession()` and call `append()`.",
    when: (o) => has(o["history"]) && (has(o["resume"]) || has(o["continue"])),
  },
  {
    path: "history",
    message: "contradicts autoResume: a process that dies could lose a part of the history",
    hint: "Leave `autoResume` out, and continue with another call whose `history` has the answer so far.",
    when: (o) => isFilled(o["history"]) && has(o["autoResume"]) && o["autoResume"] !== 0,
  },
  {
    path: "toolChoice",
    message:
      "contradicts schema and outputFormat: the model cannot give a value and must call a tool",
    hint: 'Leave the schema out, or set `toolChoice` to "auto": then the answer is a value or tool calls.',
    when: (o) => isForced(o["toolChoice"]) && (has(o["schema"]) || has(o["outputFormat"])),
  },
  {
    path: "clientTools",
    message:
      "contradicts tools, mcpServers and the preset agent: the CLI would run those tools itself",
    hint: "Leave them out, or use `mcpServers` with a tool of `createSdkMcpServer()` in place of `clientTools`.",
    when: (o) =>
      isFilled(o["clientTools"]) &&
      (isFilled(o["tools"]) || hasServers(o) || o["preset"] === "agent"),
  },
  {
    path: "clientTools",
    message: "contradicts rules, which would deny them: your program runs these tools itself",
    hint: "Leave `rules` out; a call with `clientTools` has no other tools.",
    when: (o) => isFilled(o["clientTools"]) && o["rules"] !== undefined,
  },
  {
    path: "clientTools",
    message: "contradicts autoResume: a call ends when the model calls a tool",
    hint: "Leave `autoResume` out.",
    when: (o) => isFilled(o["clientTools"]) && has(o["autoResume"]) && o["autoResume"] !== 0,
  },
  {
    path: "toolChoice",
    message: "names no tool of clientTools",
    hint: "Add the tool to `clientTools`, or correct its name.",
    when: (o) => !isChoice(o["toolChoice"], o["clientTools"]),
  },
  {
    path: "trustProject",
    message: "is false and contradicts settingSources, which names files of the project",
    hint: "Leave `project` and `local` out of `settingSources`, or set `trustProject` to true.",
    when: (o) => o["trustProject"] === false && hasProjectSource(o["settingSources"]),
  },
  {
    path: "verbatimPrompts",
    message: "contradicts literalPrompt: false",
    hint: "Set only `literalPrompt`, which works with every version of the CLI.",
    when: (o) => o["verbatimPrompts"] === true && o["literalPrompt"] === false,
  },
];

/** Whether the model must call a tool. */
function isForced(toolChoice: unknown): boolean {
  return toolChoice === "required" || (typeof toolChoice === "object" && toolChoice !== null);
}
