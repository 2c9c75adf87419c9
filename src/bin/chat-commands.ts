import { HawserError } from "../errors/index.js";
import { listSessions, type TranscriptPlace } from "../transcripts/index.js";
import type { PermissionMode } from "../wire/index.js";
import { columns } from "./command.js";
import type { Conversation } from "./conversation.js";
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

const MODES = ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"];

/** What a line that begins with `/` does here; every other one is the CLI's. */
export const CHAT_COMMANDS: Readonly<Record<string, ChatCommand>> = {
  model: {
    usage: "/model [name]",
    help: "another model; without a name, which there are",
    run: async ({ conversation: { session }, terminal }, name) => {
      if (name !== "") {
        await session.setModel(name);
        terminal.note(`The next turn is of ${oneLine(name, 80)}.`);
        return undefined;
      }
      const models = await session.supportedModels();
      terminal.note(
        columns(
          models.map(({ value, description = "" }) => [printable(value), printable(description)]),
        ),
      );
      return undefined;
    },
  },
  mode: {
    usage: "/mode [mode]",
    help: `permission mode: ${MODES.join(", ")}`,
    run: async ({ conversation: { session }, terminal }, mode) => {
      if (mode === "") {
        terminal.note(`One of: ${MODES.join(", ")}.`);
        return undefined;
      }
      await session.setPermissionMode(mode as PermissionMode);
      terminal.note(`The permission mode is ${mode}.`);
      return undefined;
    },
  },
  rewind: {
    usage: "/rewind [n]",
    help: "files and conversation as they were before a prompt",
    run: async ({ conversation, terminal, ask }, argument) => {
      const { asked } = conversation;
      if (asked.length === 0)
        throw new HawserError("invalid_options", "There is nothing to rewind.");
      const names = asked.map(({ text }) => text);
      const place = await choose(names, argument, terminal, ask);
      const to = place === undefined ? undefined : asked[place];
      if (to === undefined) return undefined;
      const { files, problem } = await conversation.rewind(to);
      if (problem !== undefined) terminal.warn(`Files stay as they are: ${problem}`);
      for (const file of files) terminal.note(`  ${visible(file)} is as it was`);
      terminal.note(`Back to before: ${oneLine(to.text, 80)}`);
      return undefined;
    },
  },
  cost: {
    usage: "/cost",
    help: "what it has cost so far",
    run: async ({ conversation, terminal }) => {
      const models = Object.entries(conversation.result?.modelUsage ?? {});
      const rows = models.map(([name, usage]): [string, string] => {
        const read = usage.inputTokens + usage.cacheReadInputTokens;
        const into = (read + usage.cacheCreationInputTokens).toLocaleString("en");
        const out = usage.outputTokens.toLocaleString("en");
        return [printable(name), `${into} tokens in, ${out} out · ${dollars(usage.costUSD)}`];
      });
      if (rows.length > 0) terminal.note(columns(rows));
      terminal.note(`  ${dollars(conversation.costUsd)} in all, as the CLI reckons it`);
      return undefined;
    },
  },
  resume: {
    usage: "/resume [id]",
    help: "goes on with another conversation of this folder",
    run: async ({ conversation, terminal, ask, place }, argument) => {
      const sessions = await listSessions({ ...place, limit: SHOWN });
      const others = sessions.filter(({ sessionId }) => sessionId !== conversation.session.id);
      const named = others.findIndex(({ sessionId }) => sessionId === argument);
      if (named < 0 && argument.length > 3) {
        await conversation.goOnWith(argument);
        return undefined;
      }
      if (others.length === 0) {
        throw new HawserError(
          "session_not_found",
          "There is no other conversation in this folder.",
        );
      }
      const names = others.map(({ summary, sessionId }) => `${summary} (${sessionId})`);
      const chosen = named >= 0 ? named : await choose(names, argument, terminal, ask);
      const session = chosen === undefined ? undefined : others[chosen];
      if (session === undefined) return undefined;
      await conversation.goOnWith(session.sessionId);
      terminal.note(`Going on with: ${oneLine(session.summary, 80)}`);
      return undefined;
    },
  },
  help: {
    usage: "/help",
    help: "this list; every other command is the CLI's own, such as /compact",
    run: async ({ terminal }) => {
      terminal.note(chatHelp());
      return undefined;
    },
  },
  exit: { usage: "/exit", help: "leaves, as does Ctrl-D", run: async () => "leave" },
  quit: { usage: "/quit", help: "the same", run: async () => "leave" },
};

export function chatHelp(): string {
  const commands = Object.values(CHAT_COMMANDS).map(({ usage, help }) => [usage, help] as const);
  return columns([...commands, ...KEYS]);
}

const KEYS = [
  ["Enter", "sends; pasted text, too, is sent only by Enter"],
  ["Alt-Enter", "starts another line, as does Enter after a backslash"],
  ["Up, Down", "go to other lines, and then to earlier prompts"],
] as const;

/** How many conversations are offered. */
const SHOWN = 20;

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
    said = (await ask("  which one? ")) ?? "";
  }
  if (said.trim() === "") return undefined;
  const place = Number(said) - 1;
  if (names[place] !== undefined) return place;
  throw new HawserError("invalid_options", `There is no number ${oneLine(said, 40)}.`, {
    hint: `Say a number from 1 to ${names.length}.`,
  });
}
