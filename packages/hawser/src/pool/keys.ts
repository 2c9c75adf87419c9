import { hash } from "node:crypto";
import { basename, dirname } from "node:path";
import type { Invocation, Options } from "../options/index.js";
import type { Prepared } from "../process/index.js";
import type { HostRequest } from "../wire/index.js";

/** A hash of all that two processes must have in common to be interchangeable at their start. */
export function spawnKey(prepared: Prepared, cwd: string | undefined): string {
  const { invocation, user, graceMs, versionText } = prepared;
  const { file, argv, env, files } = invocation;
  const folder = files[0] === undefined ? undefined : dirname(files[0].path);
  return hashOf([
    file,
    // The file may have been replaced by another version of the CLI.
    versionText,
    // Each process has its own folder for private files, so the folder's name must not count.
    folder === undefined ? argv : argv.map((argument) => argument.replaceAll(folder, "")),
    Object.entries(env).sort(),
    cwd,
    user === undefined ? undefined : [user.uid, user.gid],
    graceMs,
    files.map(({ path, contents }) => [basename(path), contents]),
  ]);
}

/** A hash of all that two requests must have in common to be served by one process after the other. */
export function requestKey(
  spawn: string,
  { initialize }: Invocation,
  late: readonly HostRequest[],
  // The CLI asks for the tools once, after initialize, which only names their server.
  clientTools: Options["clientTools"] = [],
): string {
  return hashOf([spawn, initialize, late, clientTools]);
}

/** A hash of the account that pays, as far as the credentials tell it. */
export function accountKey({ invocation, user }: Prepared, { configDir }: Options): string {
  const names = Object.keys(invocation.env).filter((name) => OF_ACCOUNTS.test(name));
  return hashOf([names.sort().map((name) => [name, invocation.env[name]]), user?.uid, configDir]);
}

const OF_ACCOUNTS =
  /^(ANTHROPIC_|CLAUDE_CODE_(OAUTH|API_KEY|USE_)|CLAUDE_CONFIG_DIR$|AWS_|GOOGLE_|HOME$|USERPROFILE$)/;

export function hashOf(parts: unknown): string {
  return hash("sha256", JSON.stringify(parts), "base64url");
}
