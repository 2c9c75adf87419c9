import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { closestName, HawserError } from "../../base/index.js";
import { PERMISSION_MODES } from "../../options/index.js";
import type { TranscriptPlace } from "../../transcripts/index.js";
import type { PermissionMode } from "../../wire/index.js";
import { columns } from "../terminal/columns.js";
import { oneLine, printable, visible } from "../terminal/printable.js";
import type { Terminal } from "../terminal/terminal.js";
import { dollars } from "../turn/summary-line.js";
import { chooseConversation } from "./choose-conversation.js";
import { type AskPerson, chooseFromList } from "./choose-from-list.js";
import { chooseModel } from "./choose-model.js";
import type { Conversation } from "./conversation.js";

export interface ChatContext {
  readonly conversation: Conversation;
  readonly terminal: Terminal;
  readonly ask: AskPerson;
  /** Where `/resume` looks for sessions. */
  readonly place: TranscriptPlace;
}

interface ChatCommand {
  readonly usage: string;
  readonly help: string;
  run(context: ChatContext, argument: string): Promise<"leave" | undefined>;
}

/** The permission modes, as the help and the error name them; `manual` is another name of `default`. */
export const MODES: readonly PermissionMode[] = PERMISSION_MODES.filter(
  (mode) => mode !== "manual",
);

/** What a line that begins with `/` does here; other commands are the CLI's. */
export const CHAT_COMMANDS: Readonly<Record<string, ChatCommand>> = {
  model: {
    usage: "/model [name]",
    help: "another model; without a name, which there are",
    run: async ({ conversation: { session }, terminal, ask }, name) => {
      const models = await session.supportedModels();
      if (name === "") {
        const rows = models.map(({ value, description = "" }): [string, string] => [
          printable(value),
          printable(description),
        ]);
        terminal.note(columns(rows, terminal.width));
        return undefined;
      }
      const listed = models.flatMap(({ value, resolvedModel = value }) => [value, resolvedModel]);
      const chosen = await chooseModel(name, listed, ask);
      if (chosen === undefined) {
        terminal.note("The model stays as it is.");
        return undefined;
      }
      await session.setModel(chosen);
      const note = listed.includes(chosen)
        ? ""
        : " The CLI does not list it; a name that does not exist fails at the next prompt.";
      terminal.note(`Next turn uses ${oneLine(chosen, 80)}.${note}`);
      return undefined;
    },
  },
  mode: {
    usage: "/mode [mode]",
    help: `permission mode: ${MODES.join(", ")}`,
    run: async ({ conversation: { session }, terminal }, said) => {
      if (said === "") {
        terminal.note(`One of: ${MODES.join(", ")}.`);
        return undefined;
      }
      // The CLI has two names for this mode.
      const name = said === "manual" ? "default" : said;
      const mode = MODES.find((each) => each.toLowerCase() === name.toLowerCase());
      if (mode === undefined) {
        const near = closestName(said, MODES);
        const meant = near === undefined ? "" : ` Did you mean ${near}?`;
        const message = `There is no permission mode ${oneLine(said, 40)}.${meant}`;
        throw new HawserError("invalid_options", message, { hint: `One of: ${MODES.join(", ")}.` });
      }
      await session.setPermissionMode(mode);
      terminal.note(`The permission mode is ${mode}.`);
      return undefined;
    },
  },
  rewind: {
    usage: "/rewind [n]",
    help: "the conversation, and files that tools edited, as they were before a prompt",
    run: async ({ conversation, terminal, ask, place }, argument) => {
      const { prompts } = conversation;
      if (prompts.length === 0)
        throw new HawserError("invalid_options", "There is nothing to rewind.");
      const names = prompts.map(({ text }) => text);
      const number = await chooseFromList(names, argument, terminal, ask);
      const to = number === undefined ? undefined : prompts[number];
      if (to === undefined) return undefined;
      const { files, problem } = await conversation.rewind(to);
      if (problem !== undefined) terminal.warn(`Files stay as they are: ${problem}`);
      for (const file of files) {
        const state = existsSync(resolve(place.dir ?? "", file)) ? "is as it was" : "is gone again";
        terminal.note(`  ${visible(file)} ${state}`);
      }
      terminal.note(terminal.style.dim("What commands have changed stays as it is."));
      terminal.note(`Back to before: ${oneLine(to.text, 80)}`);
      return undefined;
    },
  },
  cost: {
    usage: "/cost",
    help: "what was spent since this chat began",
    run: async ({ conversation: { cost }, terminal }) => {
      const rows = [...cost.models].map(([name, usage]): [string, string] => {
        const read = usage.inputTokens + usage.cacheReadInputTokens;
        const into = (read + usage.cacheCreationInputTokens).toLocaleString("en");
        const out = usage.outputTokens.toLocaleString("en");
        return [printable(name), `${into} tokens in, ${out} out · ${dollars(usage.costUSD)}`];
      });
      if (rows.length > 0) terminal.note(columns(rows, terminal.width));
      terminal.note(`  ${cost} spent since this chat began (the CLI's estimate)`);
      return undefined;
    },
  },
  resume: {
    usage: "/resume [id]",
    help: "goes on with another conversation of this folder",
    run: async ({ conversation, terminal, ask, place }, argument) => {
      const chosen = await chooseConversation(argument, {
        place,
        current: conversation.session.id,
        terminal,
        ask,
      });
      if (chosen === undefined) return undefined;
      await conversation.switchTo(chosen.sessionId);
      terminal.note(`Going on with: ${oneLine(chosen.summary, 80)}`);
      return undefined;
    },
  },
  help: {
    usage: "/help",
    help: "this list, and the CLI's own commands",
    run: async ({ terminal, conversation }) => {
      terminal.note(chatHelp(terminal.width));
      const own = Object.keys(CHAT_COMMANDS);
      const others = conversation.commands.filter(
        (name) => !own.includes(name) && !/^_/.test(name),
      );
      const names = others.map((name) => `/${printable(name)}`).sort();
      if (names.length > 0) terminal.note(`\n  The CLI's own: ${names.join(" ")}`);
      return undefined;
    },
  },
  exit: { usage: "/exit", help: "leaves, as does Ctrl-D", run: async () => "leave" },
  quit: { usage: "/quit", help: "leaves", run: async () => "leave" },
};

/** The commands and keys; broken at words if a width is given. */
export function chatHelp(width?: number): string {
  const commands = Object.values(CHAT_COMMANDS).map(({ usage, help }) => [usage, help] as const);
  return columns([...commands, ...KEYS], width);
}

const KEYS = [
  ["Enter", "sends; pasted text, too, is sent only by Enter"],
  ["Alt-Enter", "starts another line, as does Enter after a backslash"],
  ["Tab", "completes commands, models, modes and paths; after @, files that go along"],
  ["Up, Down", "go to other lines, and then to earlier prompts"],
  ["Ctrl-C", "stops the turn, or takes away what is typed; twice, it quits"],
  ["Space", "before a slash: the line is text, and no command"],
] as const;

/** Why a line with this command cannot be sent; undefined if the CLI knows the command. */
export function unknownCommand(name: string, known: readonly string[]): HawserError | undefined {
  if (known.includes(name)) return undefined;
  const near = closestName(name, [...Object.keys(CHAT_COMMANDS), ...known]);
  const meant = near === undefined ? "" : ` Did you mean /${near}?`;
  return new HawserError("invalid_options", `There is no command /${oneLine(name, 40)}.${meant}`, {
    hint: "Nothing was sent. /help lists the commands; a space before the slash sends the line as text.",
  });
}
