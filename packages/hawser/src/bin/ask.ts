import { ERROR_CODES, isHawserError } from "../base/index.js";
import { type CompleteOptions, type Completion, stream } from "../complete/index.js";
import type { CanUseTool } from "../options/index.js";
import { currentFolder, shutdown } from "../process/index.js";
import { muteShadowedCallback, type Timeouts, timeoutsOf } from "../session/index.js";
import type { Prompt } from "../wire/index.js";
import { CALL_FLAGS, callOptions, durationOf, schemaIn } from "./command/call-flags.js";
import { openCliSetup } from "./command/cli-setup.js";
import { type Command, defineCommand } from "./command/define-command.js";
import type { Flags, Given } from "./command/flags.js";
import { readPrompt } from "./command/read-prompt.js";
import { openLineReader } from "./terminal/input/line-reader.js";
import { Interrupts } from "./terminal/interrupts.js";
import { Terminal } from "./terminal/terminal.js";
import { isTrusted } from "./trust/is-trusted.js";
import { askPermission } from "./turn/ask-permission.js";
import { deniedCallLines } from "./turn/denied-calls.js";
import { summaryLine } from "./turn/summary-line.js";
import { TurnView } from "./turn/turn-view.js";

const FLAGS = {
  file: { short: "f", value: "path", help: "prompt from a file" },
  attach: { value: "path", many: true, help: "image, PDF or text that goes with the prompt" },
  schema: { value: "path", help: "JSON Schema that the answer must fit; prints JSON" },
  ...CALL_FLAGS,
  timeout: { value: "time", help: "for all of it: 90s, 5m; 10m unless given" },
  offline: { help: "with a simulated model: no account, no network" },
  json: { help: "the whole outcome as one JSON object" },
  quiet: { short: "q", help: "nothing but the answer" },
} as const satisfies Flags;

export const ask: Command = defineCommand({
  name: "ask",
  summary: "one prompt, one answer",
  usage: ["[options] <prompt>", "[options] --file prompt.md", "[options] < prompt.md"],
  examples: [
    ['hawser ask "Name three knots."', "an answer, and no tools"],
    ['git diff | hawser ask "Review this."', "with what is piped in"],
    ['hawser ask -t Read,Grep "Where is the port set?"', "with tools that only read"],
    ['hawser ask --agent --allow Edit "Fix the typo."', "as the CLI's own agent, in this project"],
    ['hawser ask --schema knot.json "Describe a bowline."', "a JSON value that fits the schema"],
    ['hawser ask --attach plan.png "What is wrong here?"', "about an image"],
    ['hawser ask --offline "hello"', "without an account"],
  ],
  flags: FLAGS,
  notes: `On a terminal the answer is shown as it comes, with the tools that are used, and what it cost; you
are asked about tools that need approval. In a pipe there is the answer alone, when it is whole.
Ctrl-C stops the turn; a second one quits at once.`,
  run: async ({ flags, words }) => {
    muteShadowedCallback();
    const terminal = new Terminal({ quiet: flags.quiet || flags.json });
    const warn = (text: string) => void process.stderr.write(`hawser: ${text}\n`);
    const { file, attach: attachments } = flags;
    const prompt = await readPrompt({ words, file, attachments, warn });
    const interrupts = new Interrupts(terminal);
    const refused = new Set<string>();
    // Before the CLI is set up, because wrong flags must not leave an offline world behind.
    const options = optionsOf(flags, terminal, interrupts, refused);
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
      const call = { flags, terminal, refused };
      return await answer(prompt, { ...options, ...setup.options }, call);
    } finally {
      interrupts.close();
      await setup.close();
    }
  },
});

type AskFlags = Given<typeof FLAGS>;

interface Call {
  readonly flags: AskFlags;
  readonly terminal: Terminal;
  /** The tool calls that the person refused. */
  readonly refused: ReadonlySet<string>;
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
    // Before the offline world closes that the CLI runs in.
    await shutdown();
  }
}

function optionsOf(
  flags: AskFlags,
  terminal: Terminal,
  interrupts: Interrupts,
  refused: Set<string>,
): CompleteOptions {
  const options = callOptions(flags);
  const { schema, timeout } = flags;
  const asks = asksPerson(flags, terminal);
  const askOne = askOnce(interrupts);
  const limit = timeout === undefined ? undefined : durationOf("--timeout", timeout);
  return {
    ...options,
    includePartialMessages: true,
    signal: interrupts.signal,
    ...(schema === undefined ? {} : { schema: schemaIn(schema) }),
    ...(limit === undefined ? {} : { timeouts: timeoutsWithin(limit) }),
    // A person who is asked may take any time to answer.
    ...(limit === undefined && asks ? { timeouts: { totalMs: Number.POSITIVE_INFINITY } } : {}),
    ...(asks
      ? {
          canUseTool: collectRefused(
            refused,
            askPermission(terminal, () => options.cwd ?? currentFolder(), askOne),
          ),
        }
      : {}),
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

/** Collects the calls that the person refuses, because they get no advice on how to permit them. */
function collectRefused(refused: Set<string>, ask: CanUseTool): CanUseTool {
  return async (tool, input, context) => {
    const answer = await ask(tool, input, context);
    if (answer?.behavior === "deny") refused.add(context.toolUseID);
    return answer;
  };
}

function asksPerson(flags: AskFlags, terminal: Terminal): boolean {
  return terminal.isInteractive && !flags.json;
}

function askOnce(interrupts: Interrupts) {
  return (question: string, signal?: AbortSignal): Promise<string | undefined> =>
    openLineReader().ask(question, {
      ...(signal === undefined ? {} : { signal }),
      fresh: true,
      onInterrupt: () => interrupts.press(),
    });
}

function showCompletion(completion: Completion<unknown>, cwd: string, asked: Call): number {
  const { flags, terminal, refused } = asked;
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
  terminal.warn(`It stopped at ${which}, so this is not the whole answer.`);
  return ERROR_CODES[stop].exitCode;
}

function adviseResume(sessionId: string | undefined, { flags, terminal }: Call): void {
  const offline = flags.offline ? "--offline " : "";
  if (sessionId !== undefined)
    terminal.note(`It can go on: hawser sessions resume ${offline}${sessionId}`);
}
