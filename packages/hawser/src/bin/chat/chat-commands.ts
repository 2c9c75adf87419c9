import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { closestName, HawserError, oneLine, printable, visible } from "../../base/index.js";
import { PERMISSION_MODES } from "../../options/index.js";
import type { TranscriptPlace } from "../../transcripts/index.js";
import type { PermissionMode } from "../../wire/index.js";
import { columns } from "../terminal/columns.js";
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

/** The commands of the chat. All other commands belong to the CLI. */
export const CHAT_COMMANDS: Readonly<Record<string, ChatCommand>> = {
  model: {
    usage: "/model [name]",
    help: "Switch to another model; without a name, list the models",
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
        terminal.note("The model is unchanged.");
        return undefined;
      }
      await session.setModel(chosen);
      const note = listed.includes(chosen)
        ? ""
        : " The CLI does not list this model; if it does not exist, the next prompt fails.";
      terminal.note(`The next turn uses ${oneLine(chosen, 80)}.${note}`);
      return undefined;
    },
  },
  mode: {
    usage: "/mode [mode]",
    help: `Set the permission mode: ${MODES.join(", ")}`,
    run: async ({ conversation: { session }, terminal }, said) => {
      if (said === "") {
        terminal.note(`Permission modes: ${MODES.join(", ")}.`);
        return undefined;
      }
      // The CLI has two names for this mode.
      const name = said === "manual" ? "default" : said;
      const mode = MODES.find((each) => each.toLowerCase() === name.toLowerCase());
      if (mode === undefined) {
        const near = closestName(said, MODES);
        const meant = near === undefined ? "" : ` Did you mean ${near}?`;
        const message = `There is no permission mode ${oneLine(said, 40)}.${meant}`;
        throw new HawserError("invalid_options", message, {
          hint: `Use one of: ${MODES.join(", ")}.`,
        });
      }
      await session.setPermissionMode(mode);
      terminal.note(`The permission mode is now ${mode}.`);
      return undefined;
    },
  },
  rewind: {
    usage: "/rewind [n]",
    help: "Go back to before a prompt, and restore the files that tools edited",
    run: async ({ conversation, terminal, ask, place }, argument) => {
      const { prompts } = conversation;
      if (prompts.length === 0)
        throw new HawserError("invalid_options", "There is nothing to rewind.", {
          hint: "Send a prompt first.",
        });
      const names = prompts.map(({ text }) => text);
      const number = await chooseFromList(names, argument, terminal, ask);
      const to = number === undefined ? undefined : prompts[number];
      if (to === undefined) return undefined;
      const { files, problem } = await conversation.rewind(to);
      if (problem !== undefined) terminal.warn(`No file was restored: ${problem}`);
      for (const file of files) {
        const state = existsSync(resolve(place.dir ?? "", file)) ? "restored" : "removed again";
        terminal.note(`  ${visible(file)} ${state}`);
      }
      terminal.note(terminal.style.dim("Changes made by commands are not undone."));
      terminal.note(`Back to before: ${oneLine(to.text, 80)}`);
      return undefined;
    },
  },
  cost: {
    usage: "/cost",
    help: "Show what was spent since this chat began",
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
    help: "Continue another conversation of this folder",
    run: async ({ conversation, terminal, ask, place }, argument) => {
      const chosen = await chooseConversation(argument, {
        place,
        current: conversation.session.id,
        terminal,
        ask,
      });
      if (chosen === undefined) return undefined;
      await conversation.switchTo(chosen.sessionId);
      terminal.note(`Continuing: ${oneLine(chosen.summary, 80)}`);
      return undefined;
    },
  },
  help: {
    usage: "/help",
    help: "Show this list and the CLI's own commands",
    run: async ({ terminal, conversation }) => {
      terminal.note(chatHelp(terminal.width));
      const own = Object.keys(CHAT_COMMANDS);
      const others = conversation.commands.filter(
        (name) => !own.includes(name) && !/^_/.test(name),
      );
      const names = others.map((name) => `/${printable(name)}`).sort();
      if (names.length > 0) terminal.note(`\n  The CLI's own commands: ${names.join(" ")}`);
      return undefined;
    },
  },
  exit: { usage: "/exit", help: "Leave the chat; Ctrl-D does the same", run: async () => "leave" },
  quit: { usage: "/quit", help: "Leave the chat", run: async () => "leave" },
};

/** The commands and keys; broken at words if a width is given. */
export function chatHelp(width?: number): string {
  const commands = Object.values(CHAT_COMMANDS).map(({ usage, help }) => [usage, help] as const);
  return columns([...commands, ...KEYS], width);
}

const KEYS = [
  ["Enter", "Send the prompt; pasted text is sent only by Enter"],
  ["Alt-Enter", "Start a new line; Enter after a backslash does the same"],
  ["Tab", "Complete commands, models, modes and paths; after @, files to include"],
  ["Up, Down", "Move between lines, then through earlier prompts"],
  ["Ctrl-C", "Stop the answer, or clear the line; press it twice to quit"],
  ["Space", "Before a slash: send the line as text, not as a command"],
] as const;

/** Why a line with this command cannot be sent; undefined if the CLI knows the command. */
export function unknownCommand(name: string, known: readonly string[]): HawserError | undefined {
  if (known.includes(name)) return undefined;
  const near = closestName(name, [...Object.keys(CHAT_COMMANDS), ...known]);
  const meant = near === undefined ? "" : ` Did you mean /${near}?`;
  return new HawserError("invalid_options", `Unknown command /${oneLine(name, 40)}.${meant}`, {
    hint: "Nothing was sent. /help lists the commands. To send the line as text, put a space before the slash.",
  });
}
