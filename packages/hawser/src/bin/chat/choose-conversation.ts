import { HawserError, oneLine } from "../../base/index.js";
import {
  listSessions,
  type SDKSessionInfo,
  type TranscriptPlace,
} from "../../transcripts/index.js";
import { ageOf } from "../sessions/age.js";
import { sessionsNamed } from "../sessions/find-session.js";
import type { Terminal } from "../terminal/terminal.js";
import { type AskPerson, chooseFromList } from "./choose-from-list.js";

export interface ChooseConversationOptions {
  readonly place: TranscriptPlace;
  /** The session of the conversation that runs, which is not offered. */
  readonly current: string | undefined;
  readonly terminal: Terminal;
  readonly ask: AskPerson;
}

/**
 * Another conversation of the folder: by its title or the start of its id, by its number in the list, or
 * asked for if nothing is given. Undefined if the user cancels.
 */
export async function chooseConversation(
  given: string,
  { place, current, terminal, ask }: ChooseConversationOptions,
): Promise<SDKSessionInfo | undefined> {
  const isNumber = /^\d{0,3}$/.test(given);
  const sessions = await listSessions({ ...place, limit: isNumber ? SHOWN : 0 });
  const others = sessions.filter(({ sessionId }) => sessionId !== current);
  if (!isNumber) return conversationNamed(given, others);
  if (others.length === 0) {
    throw new HawserError("session_not_found", "There is no other conversation in this folder.", {
      hint: "Each folder has its own conversations.",
    });
  }
  const names = others.map(({ summary, sessionId, lastModified }) => {
    const age = ageOf(Date.now() - lastModified);
    return `${age} · ${oneLine(summary, LONGEST_SUMMARY)} (${sessionId})`;
  });
  const chosen = await chooseFromList(names, given, terminal, ask);
  return chosen === undefined ? undefined : others[chosen];
}

/** The conversation with this title, or with an id that begins so. */
function conversationNamed(given: string, sessions: readonly SDKSessionInfo[]): SDKSessionInfo {
  const [first, second] = sessionsNamed(given, sessions);
  if (first !== undefined && second === undefined) return first;
  const message =
    first === undefined
      ? `There is no conversation ${oneLine(given, 40)} in this folder.`
      : `${oneLine(given, 40)} matches several conversations.`;
  throw new HawserError("session_not_found", message, { hint: "/resume lists them." });
}

/** How many conversations are offered. */
const SHOWN = 20;

/** In columns. */
const LONGEST_SUMMARY = 200;
