import { resolve } from "node:path";
import { currentFolder } from "../process/index.js";
import type { TranscriptPlace } from "../transcripts/index.js";
import { chooseVerb, type Verb } from "./command/choose-verb.js";
import { type Command, defineCommand } from "./command/define-command.js";
import { type Flags, type Given, usageError } from "./command/flags.js";
import { offlineSessionsFolder } from "./offline/sessions-folder.js";
import { deleteSessions } from "./sessions/delete.js";
import { findSession } from "./sessions/find-session.js";
import { fork } from "./sessions/fork.js";
import { list } from "./sessions/list.js";
import { rename } from "./sessions/rename.js";
import { resume } from "./sessions/resume.js";
import { show } from "./sessions/show.js";
import { Terminal } from "./terminal/terminal.js";

const FLAGS = {
  all: { short: "a", help: "Include all projects, not only this folder" },
  limit: {
    short: "n",
    value: "n",
    help: "list: how many sessions to show (default: 20; 0 for all)",
  },
  title: { value: "text", help: "fork: title of the new session" },
  "up-to": { value: "message", help: "fork: last message to copy" },
  yes: { short: "y", help: "delete: do not ask" },
  cwd: {
    short: "C",
    value: "folder",
    help: "Folder whose sessions to use (default: the current folder)",
  },
  offline: { help: "Use the sessions of `chat --offline` and `ask --agent --offline`" },
  "config-dir": {
    value: "folder",
    help: "Configuration folder of the CLI, which holds the sessions",
  },
  json: { help: "Print JSON" },
} as const satisfies Flags;

interface Call {
  readonly terminal: Terminal;
  readonly words: readonly string[];
  readonly flags: Given<typeof FLAGS>;
  readonly place: TranscriptPlace;
  readonly configDir: string | undefined;
  readonly offline: boolean;
  readonly json: boolean;
}

const MANY = Number.POSITIVE_INFINITY;

const VERBS: Readonly<Record<string, Verb<typeof FLAGS, Call>>> = {
  list: {
    flags: ["all", "limit"],
    words: [0, 0],
    run: ({ terminal, place, flags }) => list(terminal, place, flags),
  },
  show: {
    flags: ["all"],
    words: [1, 1],
    needs: "a session",
    run: async (call) => show(call.terminal, await meant(call), call),
  },
  resume: {
    flags: ["all"],
    words: [1, MANY],
    needs: "a session",
    run: async (call) => {
      const prompt = call.words.slice(1).join(" ").trim();
      return resume(await meant(call), { ...call, prompt });
    },
  },
  fork: {
    flags: ["all", "title", "up-to"],
    words: [1, 1],
    needs: "a session",
    run: async (call) => {
      const { title, "up-to": upTo } = call.flags;
      return fork(call.terminal, await meant(call), { ...call, title, upTo });
    },
  },
  rename: {
    flags: ["all"],
    words: [2, MANY],
    needs: "a session and a title",
    run: async (call) => {
      return rename(call.terminal, await meant(call), call.words.slice(1).join(" "), call);
    },
  },
  delete: {
    flags: ["all", "yes"],
    words: [1, MANY],
    needs: "a session",
    run: async (call) => {
      const found = [];
      // All sessions are found before the first one is deleted.
      for (const name of call.words) found.push(await findSession(name, call));
      return deleteSessions(call.terminal, found, { ...call, yes: call.flags.yes });
    },
  },
};

export const sessions: Command = defineCommand({
  name: "sessions",
  summary: "List, show, resume, fork, rename and delete sessions",
  usage: [
    "[list] [--all] [--limit <n>]",
    "show <session>",
    "resume <session> [prompt]",
    "fork <session> [--title <text>] [--up-to <message>]",
    "rename <session> <title>",
    "delete <session>… [--yes]",
  ],
  examples: [
    ["hawser sessions", "List the sessions of this folder, newest first"],
    ["hawser sessions show 3f2a91c4", "Read a conversation"],
    ["hawser sessions resume 3f2a91c4", "Continue it in the terminal"],
    [
      'hawser sessions resume "Release notes" "Now in French"',
      "Send one more prompt and print the answer",
    ],
    [
      "hawser sessions fork 3f2a91c4 --up-to 9c1b22aa",
      "Copy it, up to this message, into a new session",
    ],
    ["hawser sessions --offline", "List the sessions with the simulated model"],
    ["hawser sessions --all --json | jq -r '.sessions[].cwd'", "Print the folder of each session"],
  ],
  flags: FLAGS,
  notes:
    "Name a session by its id, by the first characters of the id (at least four), or by its title.\nhawser looks for it in this folder first, then in all projects. The list of a folder includes its\ngit worktrees. Sessions with the simulated model are kept for 30 days.",
  run: async ({ flags, words: [verb = "list", ...words] }) => {
    const { run } = chooseVerb({ command: "sessions", verbs: VERBS, verb, words, flags });
    const { all, cwd, json, offline } = flags;
    const configDir = configDirOf(flags);
    const place = { configDir, dir: all ? undefined : resolve(cwd ?? currentFolder()) };
    const terminal = new Terminal({ quiet: json });
    return run({ terminal, words, flags, place, configDir, offline, json });
  },
});

function configDirOf(flags: Given<typeof FLAGS>): string | undefined {
  const given = flags["config-dir"];
  if (!flags.offline) return given === undefined ? undefined : resolve(given);
  if (given !== undefined) throw usageError("Use --offline or --config-dir, not both.");
  const folder = offlineSessionsFolder();
  if (folder !== undefined) return folder;
  throw usageError(
    "There is no home folder, so the sessions of --offline are not kept.",
    "Set HOME.",
  );
}

function meant(call: Call) {
  return findSession(call.words[0] ?? "", call);
}
