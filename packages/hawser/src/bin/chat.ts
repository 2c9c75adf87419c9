import { existsSync } from "node:fs";
import { ERROR_CODES, HAWSER_VERSION, isHawserError, printable } from "../base/index.js";
import type { Options } from "../options/index.js";
import { currentFolder } from "../process/index.js";
import {
  type Approvals,
  createApprovals,
  muteShadowedCallback,
  type Session,
  spentOn,
  wasInterrupted,
} from "../session/index.js";
import { isMessage, isResult, type Message, type ResultMessage } from "../wire/index.js";
import {
  CHAT_COMMANDS,
  type ChatContext,
  chatHelp,
  MODES,
  unknownCommand,
} from "./chat/chat-commands.js";
import { chatSuggestions } from "./chat/chat-suggestions.js";
import { Conversation } from "./chat/conversation.js";
import { CALL_FLAGS, callOptions } from "./command/call-flags.js";
import { openCliSetup } from "./command/cli-setup.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { describeError } from "./command/describe-error.js";
import type { Flags, Given } from "./command/flags.js";
import { SCRIPTED_PROMPTS } from "./offline/scripted-model.js";
import { type LineReader, openLineReader } from "./terminal/input/line-reader.js";
import type { FindSuggestions } from "./terminal/input/suggestions.js";
import { Terminal } from "./terminal/terminal.js";
import { isTrusted } from "./trust/is-trusted.js";
import { askApprovals } from "./turn/ask-approvals.js";
import { stoppedLine, summaryLine } from "./turn/summary-line.js";
import { TurnView } from "./turn/turn-view.js";

const FLAGS = {
  ...CALL_FLAGS,
  agent: { ...CALL_FLAGS.agent, help: "Use the agent of this name; without =name, no effect" },
  offline: { help: "Use a simulated model: no account, no network" },
  json: { help: "Print each message as a line of JSON; each line of stdin is a prompt" },
} as const satisfies Flags;

export const chat: Command = defineCommand({
  name: "chat",
  summary: "Chat with Claude Code in the terminal",
  usage: ["[options] [first prompt]"],
  examples: [
    ["hawser chat", "Chat with Claude Code in this folder"],
    ["hawser chat --model opus --mode plan", "Choose the model, and plan first"],
    ["hawser chat --continue", "Continue the latest conversation of this folder"],
    ["hawser chat --offline", "Try it without an account"],
  ],
  flags: FLAGS,
  notes: `The model has all tools of Claude Code, unless you set --tools.
hawser asks you before each tool call that needs approval, and shows its command or change. If
stdin is not a terminal, or with --json, such a call is denied.
Use --trust only if you trust the authors of the folder, because its settings can run programs.
Press Ctrl-C to stop the answer, and again to quit. If the CLI dies, your next prompt continues the
same conversation.

In the chat
${chatHelp()}`,
  run: async ({ flags, words }) => {
    muteShadowedCallback();
    const terminal = new Terminal({ quiet: flags.json });
    // Before the CLI is set up, so that wrong flags leave no offline world behind.
    const options = callOptions(flags);
    const asks = terminal.isInteractive;
    options.trustProject ??= await isTrusted({
      cwd: options.cwd ?? currentFolder(),
      terminal,
      ask: asks ? (question) => openLineReader().ask(question, { fresh: true }) : undefined,
    });
    if (options.trustProject === undefined) return ERROR_CODES.aborted.exitCode;
    const setup = await openCliSetup(flags, terminal);
    const loop = new ChatLoop(flags, terminal, { ...options, ...setup.options });
    try {
      return await loop.run(words.join(" "));
    } finally {
      await loop.close();
      await setup.close();
    }
  },
});

class ChatLoop {
  readonly #flags: Given<typeof FLAGS>;
  readonly #terminal: Terminal;
  readonly #view: TurnView;
  readonly #lines: LineReader = openLineReader();
  readonly #approvals: Approvals = createApprovals();
  readonly #conversation: Conversation;
  readonly #context: ChatContext;
  readonly #suggestions: FindSuggestions;
  readonly #onSignal = () => this.#interrupt();
  /** Whether the user waits for a turn. */
  #isRunning = false;
  #isStopping = false;
  #hasWarned = false;
  #hasGreeted = false;
  /** How long the user took to answer questions in this turn. */
  #answeringMs = 0;
  /** The exit code of the last turn that failed. */
  #exitCode = 0;

  constructor(flags: Given<typeof FLAGS>, terminal: Terminal, options: Options) {
    this.#flags = flags;
    this.#terminal = terminal;
    this.#view = new TurnView(terminal, { writesText: true });
    const cwd = options.cwd ?? currentFolder();
    const asks = process.stdin.isTTY === true && !flags.json;
    const askOne = async (question: string, signal: AbortSignal) => {
      const askedAt = performance.now();
      const asking = { signal, fresh: true, onInterrupt: () => this.#interrupt() };
      const answer = await this.#lines.ask(question, asking);
      this.#answeringMs += performance.now() - askedAt;
      return answer;
    };
    const { canUseTool } = this.#approvals;
    const own: Options = {
      recover: true,
      enableFileCheckpointing: true,
      includePartialMessages: true,
      ...(asks ? { canUseTool } : {}),
    };
    void askApprovals(this.#approvals, terminal, { askLine: askOne, cwd });
    const place = { dir: cwd, configDir: configDirOf(options) };
    this.#conversation = new Conversation({ ...own, ...options }, place, {
      onMessage: (message) => this.#show(message),
      onOpen: (session) => this.#greet(session),
    });
    this.#context = {
      conversation: this.#conversation,
      terminal,
      ask: (question) => this.#lines.ask(question),
      place,
    };
    this.#suggestions = chatSuggestions(() => ({
      commands: [...Object.keys(CHAT_COMMANDS), ...this.#conversation.commands],
      values: {
        model: this.#conversation.session.info.models.map(({ value }) => value),
        mode: MODES,
      },
      cwd,
    }));
  }

  async run(first: string): Promise<number> {
    process.on("SIGINT", this.#onSignal);
    if (this.#flags.offline) {
      const words = SCRIPTED_PROMPTS.map(([each]) => each).join(" · ");
      this.#terminal.note(this.#terminal.style.dim(`prompts to try: ${words}`));
    }
    this.#terminal.status("starting the CLI");
    await this.#conversation.open();
    if (first !== "") this.#terminal.note(`${this.#terminal.style.bold(">")} ${printable(first)}`);
    let next: string | undefined = first;
    for (;;) {
      if (next.trim() !== "" && (await this.#handle(next)) === "leave") break;
      next = await this.#nextLine();
      if (next === undefined) break;
    }
    const { cost } = this.#conversation;
    this.#terminal.note(this.#terminal.style.dim(`${cost} spent in this chat`));
    return this.#exitCode;
  }

  async close(): Promise<void> {
    process.off("SIGINT", this.#onSignal);
    this.#terminal.status(undefined);
    this.#lines.close();
    await this.#conversation.close();
    await this.#approvals.close();
  }

  #nextLine(): Promise<string | undefined> {
    this.#hasWarned = false;
    const question = `${this.#terminal.style.bold(">")} `;
    return this.#lines.ask(question, {
      onInterrupt: () => this.#warnOnce(),
      remembered: true,
      suggest: this.#suggestions,
    });
  }

  /** A single Ctrl-C at the prompt is often a mistake, so the user is warned first. */
  #warnOnce(): "stay" | undefined {
    if (this.#hasWarned) return undefined;
    this.#hasWarned = true;
    this.#terminal.note(this.#terminal.style.dim("\n(press Ctrl-C again to quit)"));
    return "stay";
  }

  async #handle(line: string): Promise<"leave" | undefined> {
    const text = line.trim();
    try {
      // Lines that a program writes are always prompts, never commands, because their text may come from
      // a stranger.
      if (process.stdin.isTTY !== true) await this.#turn(text, { commands: false });
      else if (/^\s*\//.test(line)) return await this.#command(text, line !== line.trimStart());
      else await this.#turn(text, { commands: true });
    } catch (error) {
      if (!isHawserError(error)) throw error;
      // A user has seen the error. A program that writes the prompts learns of it by the exit code.
      if (process.stdin.isTTY !== true) this.#exitCode = ERROR_CODES[error.code].exitCode;
      const words = describeError(error);
      if (this.#flags.json) {
        const told = { ...error.toJSON(), ...words };
        process.stdout.write(`${JSON.stringify({ error: told })}\n`);
      }
      const advice = error.code === "process_exited" ? KEPT : words.hint;
      this.#terminal.warn(words.message);
      this.#terminal.note(this.#terminal.style.dim(`  ${printable(advice)}`));
    }
    return undefined;
  }

  /** A line of a user that begins with a slash: a command of ours or of the CLI, a path, or text. */
  async #command(line: string, isText: boolean): Promise<"leave" | undefined> {
    // A word with another slash in it is a path. A command is one line: several lines that begin with a
    // slash were pasted, and must not run one, because `/clear` would forget all.
    const [, name, argument = ""] = /^\/([^\s/]*)(?:[^\S\n]+(.*))?$/.exec(line) ?? [];
    if (isText || name === undefined) {
      await this.#turn(line, { commands: !isText && !line.includes("\n") });
      return undefined;
    }
    const own = Object.hasOwn(CHAT_COMMANDS, name) ? CHAT_COMMANDS[name] : undefined;
    const command = name === "" ? CHAT_COMMANDS["help"] : own;
    if (command !== undefined) return command.run(this.#context, argument.trim());
    const { commands } = this.#conversation;
    const isPath = !commands.includes(name) && existsSync(`/${name}`);
    // Commands of plugins and servers may be there before they are listed.
    const mayBeNew = /:|^mcp__/.test(name);
    const unknown = isPath || mayBeNew ? undefined : unknownCommand(name, commands);
    if (unknown !== undefined) throw unknown;
    await this.#turn(line, { commands: !isPath });
    return undefined;
  }

  async #turn(text: string, { commands }: { readonly commands: boolean }): Promise<void> {
    const startedAt = performance.now();
    this.#answeringMs = 0;
    this.#isRunning = true;
    this.#terminal.status("thinking");
    let result: ResultMessage | undefined;
    const onResult = (each: ResultMessage) => {
      result = each;
    };
    try {
      await this.#conversation.send(text, { commands, onResult });
    } catch (error) {
      if (!this.#isStopping) throw error;
    } finally {
      this.#view.settle();
      const wasStopped = this.#isStopping;
      this.#isRunning = false;
      this.#isStopping = false;
      if (wasStopped) this.#terminal.note("Stopped.");
    }
    if (result !== undefined) this.#summarize(result, performance.now() - startedAt);
  }

  #summarize(result: ResultMessage, ms: number): void {
    const { usage, num_turns } = result;
    const { costUsd } = spentOn(result);
    const answeringMs = this.#answeringMs;
    const spending = { usage, costUsd, totalMs: ms - answeringMs, answeringMs };
    const line = wasInterrupted(result)
      ? stoppedLine(spending)
      : summaryLine({ model: undefined, turns: num_turns, ...spending });
    this.#terminal.note(this.#terminal.style.dim(line));
  }

  /** The first Ctrl-C stops the turn, the second one quits; every process is killed on the way out. */
  #interrupt(): undefined {
    if (!this.#isRunning || this.#isStopping) process.exit(130);
    this.#isStopping = true;
    this.#terminal.note(this.#terminal.style.dim("stopping; press Ctrl-C again to quit at once"));
    // The turn reports whether the interrupt worked.
    this.#conversation.session.interrupt().catch(() => {});
  }

  #show(message: Message): void {
    if (this.#flags.json) {
      process.stdout.write(`${JSON.stringify(message)}\n`);
      return;
    }
    if (this.#isRunning) {
      this.#view.receive(message);
      return;
    }
    // The CLI has begun a turn by itself while the user may be typing. Other messages at that time are
    // late messages of the last turn.
    const isReply = isMessage(message, "stream_event") || isMessage(message, "assistant");
    if (isReply) this.#lines.stepAside();
    if (this.#lines.isAside) this.#view.receive(message);
    if (!isResult(message)) return;
    this.#view.settle();
    this.#lines.stepBack();
  }

  /** Greets once, because a session that is opened later continues a conversation, and its command says so. */
  #greet(session: Session): void {
    const { style } = this.#terminal;
    this.#terminal.status(undefined);
    if (this.#hasGreeted) return;
    this.#hasGreeted = true;
    const { length } = session.info.models;
    const models = length === 0 ? "" : ` · ${length} models`;
    this.#terminal.note(
      style.dim(`hawser ${HAWSER_VERSION}${models} · /help for commands, /exit to leave`),
    );
  }
}

const KEPT = "The conversation is kept; your next prompt continues it.";

function configDirOf({ configDir, env }: Options): string | undefined {
  return configDir ?? env?.["CLAUDE_CONFIG_DIR"];
}
