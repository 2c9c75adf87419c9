import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { HawserError } from "../errors/index.js";
import { type Options, type SettingsInput, settingsPath } from "../options/index.js";
import { isDirectory } from "./is-directory.js";
import { currentFolder } from "./own-folders.js";

/**
 * Node reports a missing working directory as a missing executable; this says it rightly. Without
 * `cwd` it is the current directory of this program, which may have been deleted.
 */
export function checkCwd(cwd: string | undefined): void {
  if (cwd === undefined ? currentFolder() : isDirectory(cwd)) return;
  throw new HawserError("cwd_not_found", `The working directory ${cwd} does not exist.`);
}

/** The CLI passes over a missing plugin in silence. */
export function checkPlugins(plugins: Options["plugins"]): void {
  for (const [i, { path }] of (plugins ?? []).entries()) {
    if (isDirectory(path)) continue;
    const message = `The plugin folder ${path} does not exist.`;
    throw new HawserError("invalid_options", message, {
      hint: "Correct the path, or leave the plugin out.",
      issues: [{ path: `plugins[${i}].path`, message }],
    });
  }
}

/** What stands at the path that the option names, if it names one. What it means is not judged here. */
export async function readSettings({
  settings,
  cwd = ".",
}: Options): Promise<SettingsInput | undefined> {
  const named = settingsPath(settings);
  if (named === undefined) return undefined;
  // The CLI, too, looks for it from where it is started.
  return readInput(resolve(cwd, named));
}

/**
 * The settings files of a project that is not trusted, because their deny and ask rules count all the
 * same. Undefined for a project that is trusted, or is to be left out altogether.
 */
export async function readProjectSettings({
  trustProject,
  cwd = ".",
}: Options): Promise<readonly SettingsInput[] | undefined> {
  if (trustProject !== false) return undefined;
  const names = ["settings.json", "settings.local.json"];
  return Promise.all(names.map((name) => readInput(resolve(cwd, ".claude", name))));
}

async function readInput(path: string): Promise<SettingsInput> {
  try {
    const stats = await stat(path);
    // Of a pipe or a device, the end may never come.
    if (!stats.isFile()) {
      return { found: false, reason: "unreadable", message: "it is not a regular file" };
    }
    if (stats.size > LARGEST) {
      return { found: false, reason: "unreadable", message: `it has over ${LARGEST} bytes` };
    }
    return { found: true, text: await readFile(path, "utf8") };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { found: false, reason: "missing" };
    return { found: false, reason: "unreadable", message };
  }
}

/** Far more than settings need, and little enough to be read in every call. */
const LARGEST = 16 * 1024 * 1024;
