import { HawserError } from "../../base/index.js";
import type { Options } from "../../options/index.js";
import { currentFolder } from "../../process/index.js";
import { listSessions, type SDKSessionInfo } from "../../transcripts/index.js";
import { findSession } from "./find-session.js";

/** The options of a command that choose a session. */
export interface SessionFlags {
  readonly offline: boolean;
  readonly resume: string | undefined;
  readonly continue: boolean;
  readonly cwd: string | undefined;
}

/** The session to continue, if any, and the options that name it. */
export interface ChosenSession {
  readonly options: Pick<Options, "resume" | "continue">;
  readonly session: SDKSessionInfo | undefined;
}

/**
 * The session that `--resume` or `--continue` means. Throws `session_not_found` if there is none: the
 * CLI silently begins a new conversation when there is nothing to continue.
 */
export async function chosenSession(
  flags: SessionFlags,
  configDir: string | undefined,
): Promise<ChosenSession> {
  const { resume, cwd, offline } = flags;
  // The library refuses both at once where it checks all options.
  if (resume !== undefined && flags.continue) return { options: {}, session: undefined };
  if (resume === undefined && !flags.continue) return { options: {}, session: undefined };
  const dir = cwd ?? currentFolder();
  if (resume !== undefined) {
    const session = await findSession(resume, { place: { dir, configDir }, offline });
    return { options: { resume: session.sessionId }, session };
  }
  const [latest] = await listSessions({ dir, configDir, includeWorktrees: false, limit: 1 });
  if (latest !== undefined) {
    // By its id, so that the CLI resumes exactly the session that is announced.
    return { options: { resume: latest.sessionId, continue: undefined }, session: latest };
  }
  throw new HawserError("session_not_found", `There is no session to continue in ${dir}.`, {
    hint: `Leave out --continue to start one. \`hawser sessions --all${offline ? " --offline" : ""}\` lists the sessions of other folders.`,
  });
}
