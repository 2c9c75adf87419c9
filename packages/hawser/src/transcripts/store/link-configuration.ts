import { realpath, stat, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { HawserError } from "../../base/index.js";
import { configFolder, stateFile } from "../../process/index.js";

/** Says where a CLI keeps its configuration. */
export interface ConfigurationSource {
  /** The environment of the CLI. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory of the CLI. A relative configuration folder is relative to it. */
  readonly cwd: string;
}

/**
 * Gives a temporary configuration folder the user's own settings and state by symbolic links.
 * Nothing is read or copied, because these files may hold secrets: a stored key and the settings of
 * MCP servers in `.claude.json`, `apiKeyHelper` and `env` in `settings.json`. Observed on 2.1.144,
 * 2.1.197, 2.1.290 and 2.1.325: the CLI writes through the link of `.claude.json` and keeps the
 * link. The login is not linked: `secureStorageDir()` tells the CLI where it is, and the CLI reads
 * and renews it there, under the same lock as every other CLI of the user.
 */
export async function linkConfiguration(
  { env, cwd }: ConfigurationSource,
  target: string,
): Promise<void> {
  const folder = configFolder(env, cwd);
  const state = stateFile(env, cwd);
  if (state !== undefined) await link(state, join(target, basename(state)));
  for (const name of LINKED) await link(join(folder, name), join(target, name));
}

/**
 * The value of CLAUDE_SECURESTORAGE_CONFIG_DIR that makes the CLI use the login of its usual
 * configuration. The empty string means the default folder and the default name in the keychain, so
 * an empty CLAUDE_CONFIG_DIR, which means the working directory, becomes `.` (observed on 2.1.197
 * and 2.1.325).
 */
export function secureStorageDir(env: ConfigurationSource["env"]): string {
  const configDir = env["CLAUDE_CONFIG_DIR"] === "" ? "." : env["CLAUDE_CONFIG_DIR"];
  return env["CLAUDE_SECURESTORAGE_CONFIG_DIR"] ?? configDir ?? "";
}

/** Settings of the user or the organisation, and the CLI's copies of the state file. */
const LINKED = [
  "settings.json",
  "remote-settings.json",
  "policy-limits.json",
  "CLAUDE.md",
  "rules",
  "agents",
  "commands",
  "skills",
  "output-styles",
  "plugins",
  "backups",
  ".config.json", // The state file of CLIs that were first started long ago.
];

async function link(from: string, to: string): Promise<void> {
  // Link to the end of a chain of links, because the CLI follows one link and replaces the file
  // there: a `settings.json` that is a link into a folder of dotfiles would become a plain file.
  const real = await realpath(from).catch(() => undefined); // The CLI works without the file.
  if (real === undefined) return;
  try {
    await symlink(real, to, (await stat(real)).isDirectory() ? "junction" : "file");
  } catch (cause) {
    // Without the user's settings the CLI would run without the user's deny rules.
    const why = (cause as Error).message;
    throw new HawserError("spawn_failed", `The CLI's configuration cannot be linked: ${why}`, {
      cause,
      hint: "To resume from a session store, the folder for temporary files (TMPDIR) must allow symbolic links. On Windows, turn on Developer Mode.",
    });
  }
}
