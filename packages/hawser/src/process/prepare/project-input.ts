import { readFile, realpath, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import {
  type Options,
  type ProjectInput,
  type SettingsInput,
  settingsPath,
} from "../../options/index.js";

/**
 * Reads the file that the option `settings` names, if it names one. `options` judges the contents.
 */
export async function readSettings({
  settings,
  cwd = ".",
}: Options): Promise<SettingsInput | undefined> {
  const named = settingsPath(settings);
  if (named === undefined) return undefined;
  // For the CLI too, a relative path is relative to its working directory.
  return readInput(resolve(cwd, named));
}

/**
 * Reads the settings of a project that is not trusted. Undefined for a project that is trusted or
 * not read at all.
 */
export async function readProject({
  trustProject,
  cwd = ".",
}: Options): Promise<ProjectInput | undefined> {
  if (trustProject !== false) return undefined;
  const names = ["settings.json", "settings.local.json"];
  const [holdsInstructions, ...settings] = await Promise.all([
    areInside(resolve(cwd)),
    ...names.map((name) => readInput(resolve(cwd, ".claude", name))),
  ]);
  return { settings, holdsInstructions };
}

/** Whether all files with instructions are in the folder after links are resolved. */
async function areInside(folder: string): Promise<boolean> {
  const root = await realpath(folder).catch(() => folder); // A missing folder is reported elsewhere.
  const files = ["CLAUDE.md", ".claude/CLAUDE.md", ".claude/rules"];
  const places = await Promise.all(
    files.map((name) => realpath(join(root, name)).catch(() => root)), // A missing file leads nowhere.
  );
  return places.every((place) => place === root || place.startsWith(join(root, sep)));
}

async function readInput(path: string): Promise<SettingsInput> {
  try {
    const stats = await stat(path);
    // A pipe or a device may never end.
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
