import { ERROR_CODES, isHawserError } from "../base/index.js";
import { type CompleteOptions, type Completion, stream } from "../complete/index.js";
import { currentFolder, shutdown } from "../process/index.js";
import {
  type Approvals,
  createApprovals,
  muteShadowedCallback,
  type Timeouts,
  timeoutsOf,
} from "../session/index.js";
import type { Prompt } from "../wire/index.js";
import { CALL_FLAGS, callOptions, durationOf, schemaIn } from "./command/call-flags.js";
import { openCliSetup } from "./command/cli-setup.js";
import { type Command, defineCommand } from "./command/define-command.js";
import type { Flags, Given } from "./command/flags.js";
import { readPrompt } from "./command/read-prompt.js";
import { askOnce } from "./terminal/input/ask-once.js";
import { Interrupts } from "./terminal/interrupts.js";
import { Terminal } from "./terminal/terminal.js";
import { isTrusted } from "./trust/is-trusted.js";
import { askApprovals } from "./turn/ask-approvals.js";
import { deniedCallLines } from "./turn/denied-calls.js";
import { summaryLine } from "./turn/summary-line.js";
import { TurnView } from "./turn/turn-view.js";

const FLAGS = {
  file: { short: "f", value: "path", help: "Read the prompt from a file" },
  attach: { value: "path", many: true, help: "Attach an image, a PDF or a text file; repeatable" },
  schema: { value: "path", help: "Print JSON that matches the JSON Schema in this file" },
  ...CALL_FLAGS,
  timeout: {
    value: "time",
    help: "Time limit, such as 90s or 5m (default: 10m; on a terminal: none)",
  },
  offline: { help: "Use a simulated model: no account, no network" },
  json: { help: "Print the whole result as one JSON object" },
  quiet: { short: "q", help: "Print only the answer" },
} as const satisfies Flags;

export const ask: Command = defineCommand({
  name: "ask",
  summary: "Send one prompt and print the answer",
  usage: ["[options] <prompt>", "[options] --file prompt.md", "[options] < prompt.md"],
  examples: [
    ['hawser ask "Name three knots."', "Ask a question; the model has no tools"],
    ['git diff | hawser ask "Review this."', "Add piped input to the prompt"],
    ['hawser ask -t Read,Grep "Where is the port set?"', "Let the model read files"],
    [
      'hawser ask --agent --mode acceptEdits "Fix the typo."',
      "Let Claude Code edit files of this project",
    ],
    ['hawser ask --schema knot.json "Describe a bowline."', "Get JSON that matches a schema"],
    ['hawser ask --attach plan.png "What is wrong here?"', "Ask about an image"],
    ['hawser ask --offline "hello"', "Try it without an account"],
  ],
  flags: FLAGS,
  notes: `Without --tools, --agent or --mcp, the model has no tools. --mcp adds only the tools of its servers.
Only --agent saves a session. Without it, you cannot continue this answer later, and --continue and
--resume leave the old session as it was.
If stdout is a terminal, hawser prints the answer while it arrives, otherwise only when it is
complete. If stderr is a terminal, hawser also shows the tool calls and the cost there.
If stdin and stderr are terminals, and without --json and --quiet, hawser asks you before a tool call
that needs approval, and there is no time limit. In all other cases, such a call is denied, and the
time limit is 10 minutes. --timeout sets another limit.
Use --trust only if you trust the authors of the folder, because its settings can run programs.
Press Ctrl-C to stop the answer, and again to quit at once.`,
  run: async ({ flags, words }) => {
    muteShadowedCallback();
    const terminal = new Terminal({ quiet: flags.quiet || flags.json });
    const warn = (text: string) => void process.stderr.write(`hawser: ${text}\n`);
    const { file, attach: attachments } = flags;
    const prompt = await readPrompt({ words, file, attachments, warn });
    const interrupts = new Interrupts(terminal);
    const approvals = createApprovals();
    // Before the CLI is set up, so that wrong flags leave no offline world behind.
    const options = optionsOf(flags, terminal, interrupts, approvals);
    if (options.preset === "agent" && options.trustProject === undefined) {
      const answer = await isTrusted({
        cwd: options.cwd ?? currentFolder(),
        terminal,
        ask: asksPerson(flags, terminal) ? askOnce(interrupts) : undefined,
      });
      if (answer === undefined) return ERROR_CODES.aborted.exitCode;
      options.trustProject = answer;
    }
    const setup = await openCliSetup(flags, terminal);
    try {
      const call = { flags, terminal, approvals };
      return await answer(prompt, { ...options, ...setup.options }, call);
    } finally {
      interrupts.close();
      await approvals.close();
      await setup.close();
    }
  },
});

type AskFlags = Given<typeof FLAGS>;

interface Call {
  readonly flags: AskFlags;
  readonly terminal: Terminal;
  /** The questions that the user was asked. */
  readonly approvals: Approvals;
}

async function answer(prompt: Prompt, options: CompleteOptions, asked: Call): Promise<number> {
  const { flags, terminal } = asked;
  const view = new TurnView(terminal, { writesText: terminal.isShown && !flags.json });
  terminal.status("starting the CLI");
  try {
    const call = stream(prompt, options);
    for await (const message of call) view.receive(message);
    return showCompletion(await call.completion, options.cwd ?? currentFolder(), asked);
  } catch (error) {
    view.settle();
    if (isHawserError(error) && error.resumable === true) adviseResume(error.sessionId, asked);
    if (!isHawserError(error, "aborted") || flags.json) throw error;
    terminal.note("Stopped.");
    return ERROR_CODES.aborted.exitCode;
  } finally {
    view.settle();
    // The CLI must end before the offline world that it runs in.
    await shutdown();
  }
}

function optionsOf(
  flags: AskFlags,
  terminal: Terminal,
  interrupts: Interrupts,
  approvals: Approvals,
): CompleteOptions {
  const options = callOptions(flags);
  const { schema, timeout } = flags;
  const asks = asksPerson(flags, terminal);
  const { canUseTool } = approvals;
  if (asks) {
    const asking = { askLine: askOnce(interrupts), cwd: options.cwd };
    void askApprovals(approvals, terminal, asking);
  }
  const limit = timeout === undefined ? undefined : durationOf("--timeout", timeout);
  return {
    ...options,
    includePartialMessages: true,
    signal: interrupts.signal,
    ...(schema === undefined ? {} : { schema: schemaIn(schema) }),
    ...(limit === undefined ? {} : { timeouts: timeoutsWithin(limit) }),
    // A user who is asked may take any time to answer.
    ...(limit === undefined && asks ? { timeouts: { totalMs: Number.POSITIVE_INFINITY } } : {}),
    ...(asks ? { canUseTool } : {}),
  };
}

/** Raises the limits of the phases to the limit of the whole call, so that no phase ends it earlier. */
function timeoutsWithin(totalMs: number): Partial<Timeouts> {
  const { firstMessageMs, idleMs } = timeoutsOf({}, totalMs);
  return {
    totalMs,
    firstMessageMs: Math.max(firstMessageMs, totalMs),
    idleMs: Math.max(idleMs, totalMs),
  };
}

/** The calls that the user refused. They get no advice on how to permit them. */
function refusedIn(approvals: Approvals): ReadonlySet<string | undefined> {
  const refused = approvals.records().filter(({ decision }) => decision?.behavior !== "allow");
  return new Set(refused.map(({ toolUseId }) => toolUseId));
}

function asksPerson(flags: AskFlags, terminal: Terminal): boolean {
  return terminal.isInteractive && !flags.json;
}

function showCompletion(completion: Completion<unknown>, cwd: string, asked: Call): number {
  const { flags, terminal, approvals } = asked;
  const refused = refusedIn(approvals);
  const { text, value, stop, permissionDenials, timing, result: _, ...rest } = completion;
  if (flags.json) {
    const told = { text, value, stop, permissionDenials, timing, ...rest };
    terminal.write(`${JSON.stringify(told)}\n`);
  } else if (flags.schema !== undefined) {
    if (value !== undefined)
      terminal.writeLine(JSON.stringify(value, null, terminal.isShown ? 2 : undefined));
  } else if (!terminal.isShown) {
    terminal.write(text.endsWith("\n") ? text : `${text}\n`);
  }
  terminal.status(undefined);
  terminal.note(terminal.style.dim(summaryLine({ ...rest, totalMs: timing.totalMs })));
  const unasked = permissionDenials.filter(({ tool_use_id: id }) => !refused.has(id));
  for (const line of deniedCallLines(unasked, { cwd, denied: flags.deny })) terminal.warn(line);
  if (stop !== "max_turns" && stop !== "max_budget") return 0;
  const which = stop === "max_turns" ? "--max-turns" : "--budget";
  terminal.warn(`The call stopped at ${which}, so the answer is incomplete.`);
  return ERROR_CODES[stop].exitCode;
}

function adviseResume(sessionId: string | undefined, { flags, terminal }: Call): void {
  const offline = flags.offline ? "--offline " : "";
  if (sessionId !== undefined)
    terminal.note(`To continue: hawser sessions resume ${offline}${sessionId}`);
}
