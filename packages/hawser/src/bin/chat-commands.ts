import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { closestName, HawserError } from "../base/index.js";
import { PERMISSION_MODES } from "../options/index.js";
import { listSessions, type SDKSessionInfo, type TranscriptPlace } from "../transcripts/index.js";
import type { PermissionMode } from "../wire/index.js";
import { columns } from "./command.js";
import type { Conversation } from "./conversation.js";
import { ageOf } from "./sessions/age.js";
import { sessionsNamed } from "./sessions/find.js";
import { dollars } from "./summary.js";
import { oneLine, printable, type Terminal, visible } from "./terminal.js";

export interface ChatContext {
  readonly conversation: Conversation;
  readonly terminal: Terminal;
  readonly ask: (question: string) => Promise<string | undefined>;
  /** Where the sessions are that one can go on with. */
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
      const chosen = await modelFor(name, listed, ask);
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
      const { asked } = conversation;
      if (asked.length === 0)
        throw new HawserError("invalid_options", "There is nothing to rewind.");
      const names = asked.map(({ text }) => text);
      const number = await choose(names, argument, terminal, ask);
      const to = number === undefined ? undefined : asked[number];
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
    run: async ({ conversation: { expenses }, terminal }) => {
      const rows = [...expenses.models].map(([name, usage]): [string, string] => {
        const read = usage.inputTokens + usage.cacheReadInputTokens;
        const into = (read + usage.cacheCreationInputTokens).toLocaleString("en");
        const out = usage.outputTokens.toLocaleString("en");
        return [printable(name), `${into} tokens in, ${out} out · ${dollars(usage.costUSD)}`];
      });
      if (rows.length > 0) terminal.note(columns(rows, terminal.width));
      terminal.note(`  ${expenses} spent since this chat began (the CLI's estimate)`);
      return undefined;
    },
  },
  resume: {
    usage: "/resume [id]",
    help: "goes on with another conversation of this folder",
    run: async ({ conversation, terminal, ask, place }, argument) => {
      const isNumber = /^\d{0,3}$/.test(argument);
      const sessions = await listSessions({ ...place, limit: isNumber ? SHOWN : 0 });
      const others = sessions.filter(({ sessionId }) => sessionId !== conversation.session.id);
      const named = isNumber ? undefined : theOneNamed(argument, others);
      if (named === undefined && others.length === 0) {
        throw new HawserError(
          "session_not_found",
          "There is no other conversation in this folder.",
          { hint: "Each folder has its own." },
        );
      }
      const names = others.map(({ summary, sessionId, lastModified }) => {
        const age = ageOf(Date.now() - lastModified);
        return `${age} · ${oneLine(summary, LONGEST_SUMMARY)} (${sessionId})`;
      });
      const chosen = named === undefined ? await choose(names, argument, terminal, ask) : undefined;
      const id = named ?? (chosen === undefined ? undefined : others[chosen]?.sessionId);
      if (id === undefined) return undefined;
      await conversation.goOnWith(id);
      const about = others.find(({ sessionId }) => sessionId === id)?.summary ?? id;
      terminal.note(`Going on with: ${oneLine(about, 80)}`);
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

/**
 * The model that is meant. A name that is close to a listed one may be a typing mistake, which would
 * fail only at the next prompt, so the person is asked. Any other name may be a model that the CLI does
 * not list. Undefined: none.
 */
async function modelFor(
  name: string,
  listed: readonly string[],
  ask: ChatContext["ask"],
): Promise<string | undefined> {
  if (listed.includes(name)) return name;
  const near = closestName(name, listed);
  if (near === undefined) return name;
  if (near.toLowerCase() === name.toLowerCase()) return near;
  // Another number is another version of the model, and no mistake.
  if (withoutNumbers(near) === withoutNumbers(name)) return name;
  const shown = oneLine(name, 80);
  const question = `  There is no model ${shown} in the list. Did you mean ${oneLine(near, 80)}?\n`;
  const choices = `  [y]es · [n]o, use ${shown} · Enter cancels`;
  const answer = ((await ask(`${question}${choices}\n  > `)) ?? "").trim();
  if (/^y(es)?$/i.test(answer)) return near;
  return /^no?$/i.test(answer) ? name : undefined;
}

function withoutNumbers(name: string): string {
  return name.replace(/\d+/g, "");
}

/** The conversation with this title, or with an id that begins so. */
function theOneNamed(given: string, sessions: readonly SDKSessionInfo[]): string {
  const [first, second] = sessionsNamed(given, sessions);
  if (first !== undefined && second === undefined) return first.sessionId;
  const message =
    first === undefined
      ? `There is no conversation ${oneLine(given, 40)} in this folder.`
      : `${oneLine(given, 40)} may be any of several conversations.`;
  throw new HawserError("session_not_found", message, { hint: "/resume lists them." });
}

/** How many conversations are offered. */
const SHOWN = 20;

/** In columns. */
const LONGEST_SUMMARY = 200;

/** By its number, counted from 1; asked for unless it was given. Undefined: none of them. */
async function choose(
  names: readonly string[],
  given: string,
  terminal: Terminal,
  ask: ChatContext["ask"],
): Promise<number | undefined> {
  let said = given;
  if (said === "") {
    const rows = names.map((name, place) => `  ${place + 1}. ${oneLine(name, terminal.width - 8)}`);
    terminal.note(rows.join("\n"));
    said = (await ask("  which one? (Enter cancels) ")) ?? "";
  }
  if (said.trim() === "") return undefined;
  const place = Number(said) - 1;
  if (names[place] !== undefined) return place;
  throw new HawserError("invalid_options", `There is no ${oneLine(said, 40)} in the list.`, {
    hint: names.length === 1 ? "It has only number 1." : `Say a number from 1 to ${names.length}.`,
  });
}
