import { addFlag, type Draft, isSince } from "../draft.js";
import type { OptionName } from "../options.js";
import { isOfProject } from "../presets.js";

/**
 * Lets the CLI read the instructions of a project (CLAUDE.md, its imports, .claude/rules) although
 * the project is no setting source. Observed on 2.1.113 to 2.1.325: of an added directory the CLI
 * reads these files and nothing that runs or grants anything. Directories that come by a settings
 * file do not count for this, so that the flag is always on the command line.
 */
export function applyInstructions(draft: Draft, _: boolean, name: OptionName): void {
  addFlag(draft, name, "--add-dir", ".");
  const variable = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";
  if (draft.env.get(variable) === undefined) draft.env.set(variable, "1");
}

/**
 * Keeps an older CLI from running `git status` in a folder that is not trusted. Git then runs what
 * the folder's own .git/config names: observed for `core.fsmonitor` up to 2.1.197 and for
 * `filter.*.clean` up to 2.1.290. The CLI's prompt loses its part about Git.
 */
export function applyGitGuard({ env, cli, options }: Draft): void {
  const { settingSources, trustProject } = options;
  const isTrusted = settingSources === undefined || settingSources.some(isOfProject);
  if (isTrusted || trustProject === true) return;
  if (cli.version !== undefined && isSince(cli, GUARDS_GIT)) return;
  const variable = "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS";
  if (env.get(variable) === undefined) env.set(variable, "1");
}

/** The oldest version that was seen to run nothing of a hostile .git/config. */
const GUARDS_GIT = "2.1.325";
