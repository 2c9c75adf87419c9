import { objectOf } from "../../base/index.js";
import { addFlag, type Draft } from "../invocation/draft.js";
import { isSinceOrUnknown } from "../invocation/version-gate.js";
import type { OptionName } from "../options.js";
import { isOfProject } from "../presets.js";
import { rule } from "../validate/kinds/permission-rule.js";
import { parseSettings } from "../validate/settings-reading.js";

/** Of an untrusted project, only the instructions and the rules that narrow rights take effect. */
export function applyUntrusted(draft: Draft, _: boolean, name: OptionName): void {
  addNarrowingRules(draft);
  addInstructions(draft, name);
}

/**
 * Applies the deny and ask rules of the project's settings. Without trust the CLI does not read
 * these files, but the project's own bans must still hold.
 */
function addNarrowingRules({ host, permissions, warnings }: Draft): void {
  for (const input of host.project?.settings ?? []) {
    if (!input.found && input.reason === "missing") continue;
    const settings = input.found ? parseSettings(input.text) : undefined;
    if (settings === undefined) {
      warnings.push(
        "A settings file of the project cannot be read, so its deny rules do not count.",
      );
      continue;
    }
    const { deny, ask } = objectOf(settings["permissions"]);
    permissions.deny.push(...rulesIn(deny, warnings));
    permissions.ask.push(...rulesIn(ask, warnings));
  }
}

/** The rules of a list. The CLI drops a malformed rule silently, so hawser warns. */
function rulesIn(list: unknown, warnings: string[]): string[] {
  if (!Array.isArray(list)) return [];
  const isRule = (value: unknown) => [...rule.problems(value, "")].length === 0;
  for (const each of list) {
    if (!isRule(each)) warnings.push(`A rule of the project is left out: ${JSON.stringify(each)}`);
  }
  return list.filter(isRule);
}

/**
 * Lets the CLI read the instructions of a project (CLAUDE.md, its imports, .claude/rules) although
 * the project is not a setting source. Observed on 2.1.325: in an added directory the CLI reads
 * these files and nothing that runs or grants anything. Older CLIs also load the plugins that the
 * settings of such a directory name (observed on 2.1.113, 2.1.197 and 2.1.290), so for them it is
 * not added. Directories in a settings file do not have this effect, so the flag is always on the
 * command line.
 */
function addInstructions(draft: Draft, name: OptionName): void {
  const { cli, host, env, warnings } = draft;
  if (host.project?.holdsInstructions === false) {
    warnings.push(
      "The project's instructions are linked from outside its folder, so they are not read.",
    );
    return;
  }
  if (cli.version === undefined || !isSinceOrUnknown(cli, IS_CAREFUL)) return;
  addFlag(draft, name, "--add-dir", ".");
  const variable = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";
  if (env.get(variable) === undefined) env.set(variable, "1");
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
  if (cli.version !== undefined && isSinceOrUnknown(cli, IS_CAREFUL)) return;
  const variable = "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS";
  if (env.get(variable) === undefined) env.set(variable, "1");
  // Git has other reasons to look at the folder, such as `git check-ignore` for a file that is
  // read.
  const count = Number(env.get("GIT_CONFIG_COUNT") ?? 0);
  if (!Number.isSafeInteger(count) || count < 0) return;
  env.set(`GIT_CONFIG_KEY_${count}`, "core.fsmonitor");
  env.set(`GIT_CONFIG_VALUE_${count}`, "false");
  env.set("GIT_CONFIG_COUNT", `${count + 1}`);
}

/** The oldest version that was observed to run nothing of a hostile .git/config or added folder. */
const IS_CAREFUL = "2.1.325";
