import { oneLine } from "../../base/index.js";
import type { Options } from "../../options/index.js";
import type { SDKSessionInfo } from "../../transcripts/index.js";
import { describeWorld, loadOfflineWorld } from "../offline/load-offline-world.js";
import { openSessionsFolder } from "../offline/sessions-folder.js";
import { ageOf } from "../sessions/age.js";
import { chosenSession, type SessionFlags } from "../sessions/chosen-session.js";
import type { Terminal } from "../terminal/terminal.js";

/** The CLI and the session that a command uses. */
export interface CliSetup {
  readonly options: Options;
  close(): Promise<void>;
}

/**
 * Chooses the CLI: the installed one, or with `--offline` a CLI with a simulated model, which is announced
 * to the user. The options also name the session that `--resume` and `--continue` mean.
 */
export async function openCliSetup(
  flags: SessionFlags & { readonly cli: string | undefined },
  terminal: Terminal,
): Promise<CliSetup> {
  if (!flags.offline) {
    const { options, session } = await chosenSession(flags, undefined);
    announce(session, terminal);
    return { options, close: async () => {} };
  }
  const configDir = await openSessionsFolder(terminal);
  // Before the offline world is opened, so that a session that does not exist leaves no world behind.
  const { options, session } = await chosenSession(flags, configDir);
  const world = await loadOfflineWorld({ cliPath: flags.cli, configDir });
  terminal.note(terminal.style.dim(describeWorld(world)));
  announce(session, terminal);
  return { options: { ...world.options, ...options }, close: () => world.dispose() };
}

function announce(session: SDKSessionInfo | undefined, terminal: Terminal): void {
  if (session === undefined) return;
  const age = ageOf(Date.now() - session.lastModified);
  terminal.note(`Continuing: ${oneLine(session.summary, LONGEST_SUMMARY)} (${age})`);
}

/** In columns. */
const LONGEST_SUMMARY = 80;
