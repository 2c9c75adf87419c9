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

/** The session to go on with, if any, and the options that say so. */
export interface ChosenSession {
  readonly options: Pick<Options, "resume" | "continue">;
  readonly session: SDKSessionInfo | undefined;
}

/**
 * The session that `--resume` or `--continue` means. Throws `session_not_found` if there is none: the
 * CLI begins a new conversation in silence when there is nothing to continue.
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
  throw new HawserError("session_not_found", `There is no session of ${dir} to go on with.`, {
    hint: `Leave --continue out to begin one; \`hawser sessions --all${offline ? " --offline" : ""}\` lists those of other folders.`,
  });
}
