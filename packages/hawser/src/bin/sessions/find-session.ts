import { HawserError, oneLine } from "../../base/index.js";
import {
  getSessionInfo,
  listSessions,
  type SDKSessionInfo,
  type TranscriptPlace,
} from "../../transcripts/index.js";

/**
 * The session that a user means by an id, by the start of an id, or by a title. Sessions of the folder
 * come first; if none of them fits, all projects are searched.
 */
export async function findSession(name: string, where: SessionPlace): Promise<SDKSessionInfo> {
  const { dir, configDir } = where.place;
  const known = await getSessionInfo(name, { configDir });
  if (known !== undefined) return known;
  const places = dir === undefined ? [{ configDir }] : [{ dir, configDir }, { configDir }];
  for (const place of places) {
    const found = sessionsNamed(name, await listSessions(place));
    if (found.length > 1) throw ambiguous(name, found);
    if (found[0] !== undefined) return found[0];
  }
  const isShort = name.length < SHORTEST && /^[0-9a-f-]+$/i.test(name);
  const lists = `${where.offline ? "`hawser sessions --all --offline`" : "`hawser sessions --all`"} lists all sessions.`;
  throw new HawserError("session_not_found", `There is no session ${JSON.stringify(name)}.`, {
    hint: isShort ? `Give at least ${SHORTEST} characters of its id. ${lists}` : lists,
  });
}

/** Where to look for sessions. */
export interface SessionPlace {
  readonly place: TranscriptPlace;
  /** Whether these are the sessions of `--offline`. */
  readonly offline: boolean;
}

const SHORTEST = 4;

/** The sessions whose id begins with the name, if it has four characters; else those with this title. */
export function sessionsNamed(name: string, sessions: readonly SDKSessionInfo[]): SDKSessionInfo[] {
  const start = name.toLowerCase();
  const byId = sessions.filter(({ sessionId }) => sessionId.toLowerCase().startsWith(start));
  if (name.length >= SHORTEST && byId.length > 0) return byId;
  return sessions.filter(({ customTitle }) => customTitle?.toLowerCase() === start);
}

function ambiguous(name: string, found: readonly SDKSessionInfo[]): HawserError {
  const lines = found
    .slice(0, SHOWN)
    .map(({ sessionId, summary }) => `  ${sessionId}  ${oneLine(summary, LONGEST)}`);
  const more = found.length > SHOWN ? [`  and ${found.length - SHOWN} more`] : [];
  const message = `${JSON.stringify(name)} matches ${found.length} sessions.`;
  return new HawserError("invalid_options", message, {
    hint: ["Give more of the id:", ...lines, ...more].join("\n"),
  });
}

const SHOWN = 10;
const LONGEST = 60;
