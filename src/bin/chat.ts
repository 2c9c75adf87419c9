import { ERROR_CODES, HAWSER_VERSION, type HawserError, isHawserError } from "../errors/index.js";
import type { Options } from "../options/index.js";
import { currentFolder } from "../process/index.js";
import type { Session } from "../session/index.js";
import { isMessage, isResult, type Message } from "../wire/index.js";
import { CALL_FLAGS, callOptions } from "./call-flags.js";
import { CHAT_COMMANDS, type ChatContext, chatHelp } from "./chat-commands.js";
import { type Command, defineCommand } from "./command.js";
import { Conversation } from "./conversation.js";
import type { Flags, Given } from "./flags.js";
import { inCommandWords } from "./hints.js";
import { type Lines, openLines } from "./lines.js";
import { OFFLINE_WORDS } from "./offline/brain.js";
import { openWorld } from "./offline/index.js";
import { askPerson } from "./permission.js";
import { dollars, summaryLine } from "./summary.js";
import { printable, Terminal } from "./terminal.js";
import { isTrusted } from "./trust/index.js";
import { View } from "./view.js";

const FLAGS = {
  ...CALL_FLAGS,
  offline: { help: "with a simulated model: no account, no network" },
  json: { help: "every message as a line of JSON; prompts are the lines of the input" },
} as const satisfies Flags;

export const chat: Command = defineCommand({
  name: "chat",
  summary: "a conversation in the terminal",
  usage: ["[options] [first prompt]"],
  examples: [
    ["hawser chat", "with the CLI's own agent, in this folder"],
    ["hawser chat --model opus --mode plan", "with another model, planning first"],
    ["hawser chat --continue", "goes on with the latest conversation of this folder"],
    ["hawser chat --offline", "without an account"],
  ],
  flags: FLAGS,
  notes: `You are asked about each tool that needs approval, with its command or its change. Ctrl-C stops the
turn; a second one quits. If the CLI dies, the next prompt goes on in the same conversation.

In the conversation
${chatHelp()}`,
  run: async ({ flags, words }) => {
    const terminal = new Terminal({ quiet: flags.json });
    // Before the world: what is wrong with them must not leave one behind.
    const options = callOptions(flags);
    const asks = terminal.isInteractive;
    options.trustProject ??= await isTrusted({
      cwd: options.cwd ?? currentFolder(),
      terminal,
      ask: asks ? (question) => openLines().ask(question, { fresh: true }) : undefined,
    });
    if (options.trustProject === undefined) return ERROR_CODES.aborted.exitCode;
    const world = await openWorld(flags, terminal);
    const talk = new Chat(flags, terminal, { ...options, ...world.options });
    try {
      return await talk.run(words.join(" "));
    } finally {
      await talk.close();
      await world.dispose();
    }
  },
});

class Chat {
  readonly #flags: Given<typeof FLAGS>;
  readonly #terminal: Terminal;
  readonly #view: View;
  readonly #lines: Lines = openLines();
  readonly #conversation: Conversation;
  readonly #context: ChatContext;
  readonly #onSignal = () => this.#interrupt();
  /** Whether the person waits for a turn. */
  #isRunning = false;
  #isStopping = false;
  #hasWarned = false;
  /** That of the last turn that failed. */
  #exitCode = 0;

  constructor(flags: Given<typeof FLAGS>, terminal: Terminal, options: Options) {
    this.#flags = flags;
    this.#terminal = terminal;
    this.#view = new View(terminal, { writesText: true });
    const cwd = options.cwd ?? currentFolder();
    const asks = process.stdin.isTTY === true && !flags.json;
    const askOne = (question: string, signal: AbortSignal) =>
      this.#lines.ask(question, { signal, fresh: true, onInterrupt: () => this.#interrupt() });
    const own: Options = {
      recover: true,
      enableFileCheckpointing: true,
      includePartialMessages: true,
      ...(asks ? { canUseTool: askPerson(terminal, () => cwd, askOne) } : {}),
    };
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
  }

  async run(first: string): Promise<number> {
    process.on("SIGINT", this.#onSignal);
    if (this.#flags.offline) {
      const words = OFFLINE_WORDS.map(([each]) => each).join(" · ");
      this.#terminal.note(this.#terminal.style.dim(`it knows: ${words}`));
    }
    this.#terminal.status("starting the CLI");
    await this.#conversation.open();
    if (first !== "") this.#terminal.note(`${this.#terminal.style.bold(">")} ${printable(first)}`);
    let next: string | undefined = first;
    for (;;) {
      if (next.trim() !== "" && (await this.#handle(next.trim())) === "leave") break;
      next = await this.#nextLine();
      if (next === undefined) break;
    }
    this.#terminal.note(this.#terminal.style.dim(`${dollars(this.#conversation.costUsd)} in all`));
    return this.#exitCode;
  }

  async close(): Promise<void> {
    process.off("SIGINT", this.#onSignal);
    this.#terminal.status(undefined);
    this.#lines.close();
    await this.#conversation.close();
  }

  #nextLine(): Promise<string | undefined> {
    this.#hasWarned = false;
    const question = `${this.#terminal.style.bold(">")} `;
    return this.#lines.ask(question, { onInterrupt: () => this.#warnOnce(), remembered: true });
  }

  /** A single Ctrl-C at the prompt is a slip as often as not. */
  #warnOnce(): "stay" | undefined {
    if (this.#hasWarned) return undefined;
    this.#hasWarned = true;
    this.#terminal.note(this.#terminal.style.dim("\n(Ctrl-C again quits)"));
    return "stay";
  }

  async #handle(line: string): Promise<"leave" | undefined> {
    // A command is one line: a text of several lines that begins with a slash was pasted.
    const [, name = "", argument = ""] = /^\/(\S+)(?:[^\S\n]+(.*))?$/.exec(line) ?? [];
    // Lines that a program writes are prompts and nothing else: their text may be anybody's.
    const isKnown = process.stdin.isTTY === true && Object.hasOwn(CHAT_COMMANDS, name);
    const command = isKnown ? CHAT_COMMANDS[name] : undefined;
    try {
      // Other slash commands are the CLI's own.
      if (command === undefined) await this.#turn(line);
      else return await command.run(this.#context, argument.trim());
    } catch (error) {
      if (!isHawserError(error)) throw error;
      // A person has seen it; a program that writes the prompts has not.
      if (process.stdin.isTTY !== true) this.#exitCode = ERROR_CODES[error.code].exitCode;
      if (this.#flags.json) process.stdout.write(`${JSON.stringify({ error })}\n`);
      this.#terminal.warn(error.message);
      this.#terminal.note(this.#terminal.style.dim(`  ${printable(adviceOn(error))}`));
    }
    return undefined;
  }

  async #turn(text: string): Promise<void> {
    const startedAt = performance.now();
    const before = this.#conversation.costUsd;
    this.#isRunning = true;
    this.#terminal.status("thinking");
    try {
      await this.#conversation.send(text);
    } catch (error) {
      if (!this.#isStopping) throw error;
    } finally {
      this.#view.end();
      const wasStopped = this.#isStopping;
      this.#isRunning = false;
      this.#isStopping = false;
      if (wasStopped) this.#terminal.note("Stopped.");
    }
    const { result } = this.#conversation;
    if (result === undefined) return;
    const line = summaryLine({
      model: undefined,
      turns: result.num_turns,
      usage: result.usage,
      costUsd: this.#conversation.costUsd - before,
      totalMs: performance.now() - startedAt,
    });
    this.#terminal.note(this.#terminal.style.dim(line));
  }

  /** The first one stops the turn, the second one quits; every process is ended on the way out. */
  #interrupt(): undefined {
    if (!this.#isRunning || this.#isStopping) process.exit(130);
    this.#isStopping = true;
    this.#terminal.note(this.#terminal.style.dim("stopping; Ctrl-C again quits at once"));
    // How it went, the turn tells.
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
    // The CLI has begun a turn by itself while the person may be typing. What else comes then is late.
    const isReply = isMessage(message, "stream_event") || isMessage(message, "assistant");
    if (isReply) this.#lines.stepAside();
    if (this.#lines.isAside) this.#view.receive(message);
    if (!isResult(message)) return;
    this.#view.end();
    this.#lines.stepBack();
  }

  #greet(session: Session): void {
    const { style } = this.#terminal;
    this.#terminal.status(undefined);
    const models = session.info.models.length;
    this.#terminal.note(
      style.dim(`hawser ${HAWSER_VERSION} · ${models} models · /help for commands, /exit to leave`),
    );
  }
}

function adviceOn(error: HawserError): string {
  return error.code === "process_exited"
    ? "Its conversation is kept: the next prompt goes on with it."
    : inCommandWords(error).hint;
}

function configDirOf({ configDir, env }: Options): string | undefined {
  return configDir ?? env?.["CLAUDE_CONFIG_DIR"];
}
