import { readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isObject } from "../../base/index.js";
import { parseVersion, type Version } from "../../options/index.js";
import { isNativeProgram } from "../locate/executable-format.js";

/**
 * The version of the CLI at this path, as its installer wrote it: in the file's own path (the
 * native installer), or in the manifest of its npm package. It takes less than a millisecond, while
 * the executable needs up to forty to answer.
 *
 * It is undefined if anything suggests that the installer did not write this very file. So the
 * version is believed only if all of this is true, with symbolic links resolved:
 *
 * - The file is a program of this machine, or the large script of an earlier CLI. Any other script
 *   may be a wrapper that starts another version.
 * - The path ends with `claude/versions/x.y.z`; or a `package.json` beside the file, or one folder
 *   above, belongs to a package of the CLI and lists the file.
 * - That `package.json` and the file were written at the same time, so that neither was replaced.
 */
export function installedVersion(path: string): Version | undefined {
  try {
    const file = realpathSync.native(path);
    const stats = statSync(file);
    const isScript = /\.[cm]?js$/i.test(file);
    if (isScript ? stats.size < SMALLEST_CLI_SCRIPT : !isNativeProgram(file)) return undefined;
    return versionInPath(file) ?? versionInManifest(file, stats);
  } catch {
    // A file that cannot be read or parsed says nothing about the version.
    return undefined;
  }
}

/** The scripts of earlier CLIs have over ten megabytes. */
const SMALLEST_CLI_SCRIPT = 1024 * 1024;

/** The native installer puts each version into a file that has the version as its name. */
function versionInPath(file: string): Version | undefined {
  const folder = dirname(file);
  const isInstalled = basename(folder) === "versions" && basename(dirname(folder)) === "claude";
  return isInstalled ? exactVersion(basename(file)) : undefined;
}

function versionInManifest(file: string, stats: Stats): Version | undefined {
  for (const folder of [dirname(file), dirname(dirname(file))]) {
    const path = join(folder, "package.json");
    const manifestStats = statSync(path, { throwIfNoEntry: false });
    if (manifestStats === undefined) continue;
    if (Math.abs(stats.mtimeMs - manifestStats.mtimeMs) > LONGEST_INSTALL_MS) return undefined;
    const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
    const name = relative(folder, file).replaceAll("\\", "/");
    return isObject(manifest) && listsCli(manifest, name)
      ? exactVersion(manifest["version"])
      : undefined;
  }
  return undefined;
}

/** npm writes the files of a package one after another, and takes seconds for a large one. */
const LONGEST_INSTALL_MS = 10 * 60_000;

/** Whether this is the manifest of a package of the CLI, in which the file of this name is the CLI. */
function listsCli({ name, bin, files }: Record<string, unknown>, file: string): boolean {
  if (name === PACKAGE) return isObject(bin) && bin["claude"] === file;
  // The packages with the native programs, one for each platform, have no `bin`.
  const isOfPlatform = [PLATFORM_PACKAGE, `${PLATFORM_PACKAGE}-musl`].some((each) => each === name);
  return isOfPlatform && Array.isArray(files) && files.includes(file);
}

const PACKAGE = "@anthropic-ai/claude-code";
const PLATFORM_PACKAGE = `${PACKAGE}-${process.platform}-${process.arch}`;

/** Not a version with a tag such as `-beta.1`, because only its number would be compared later. */
function exactVersion(text: unknown): Version | undefined {
  return typeof text === "string" && /^\d+\.\d+\.\d+$/.test(text) ? parseVersion(text) : undefined;
}
