import { HawserError } from "../../errors/index.js";
import type { Options } from "../../options/index.js";
import { currentFolder } from "../../process/index.js";
import { listSessions } from "../../transcripts/index.js";
import { findSession } from "./find.js";

/** The options of a command that choose a session. */
export interface SessionFlags {
  readonly offline: boolean;
  readonly resume: string | undefined;
  readonly continue: boolean;
  readonly cwd: string | undefined;
}

/**
 * The session that `--resume` or `--continue` means. Throws `session_not_found` if there is none: the
 * CLI begins a new conversation in silence when there is nothing to continue.
 */
export async function chosenSession(
  flags: SessionFlags,
  configDir: string | undefined,
): Promise<Pick<Options, "resume">> {
  const { resume, cwd, offline } = flags;
  // Both at once are refused where all options are checked.
  if (resume !== undefined && flags.continue) return {};
  if (resume === undefined && !flags.continue) return {};
  const dir = cwd ?? currentFolder();
  if (resume !== undefined) {
    const place = { dir, configDir };
    return { resume: (await findSession(resume, { place, offline })).sessionId };
  }
  const [latest] = await listSessions({ dir, configDir, includeWorktrees: false, limit: 1 });
  if (latest !== undefined) return {};
  throw new HawserError("session_not_found", `There is no session of ${dir} to go on with.`, {
    hint: `Leave --continue out to begin one; \`hawser sessions --all${offline ? " --offline" : ""}\` lists those of other folders.`,
  });
}
