import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { homeFolder } from "../process/index.js";
import { asEntry, parseEntry } from "./excerpt.js";
import type { Write } from "./private-write.js";

/**
 * Copies what a CLI needs to work as usual: its settings, its state, and its login less what would
 * renew it. A renewed login would be lost with the copy, and the original would then be void.
 */
export async function copyConfiguration(
  env: Readonly<Record<string, string | undefined>>,
  target: string,
  write: Write,
): Promise<void> {
  const home = env["HOME"] || env["USERPROFILE"] || homeFolder(env) || "/";
  const given = env["CLAUDE_CONFIG_DIR"];
  const folder = given || join(home, ".claude");
  const settings = await readIfAny(join(folder, "settings.json"));
  const state = await readIfAny(join(given || home, ".claude.json"));
  const login = withoutRefreshToken(await readIfAny(join(folder, ".credentials.json")));
  if (settings !== undefined) await write(join(target, "settings.json"), settings);
  if (state !== undefined) await write(join(target, ".claude.json"), state);
  if (login !== undefined) await write(join(target, ".credentials.json"), login);
}

async function readIfAny(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined); // Absent: the CLI works without it.
}

function withoutRefreshToken(text: string | undefined): string | undefined {
  const credentials = text === undefined ? undefined : parseEntry(text);
  if (credentials === undefined) return undefined;
  const oauth = asEntry(credentials["claudeAiOauth"]);
  if (oauth === undefined) return JSON.stringify(credentials);
  const { refreshToken, ...rest } = oauth;
  return JSON.stringify({ ...credentials, claudeAiOauth: rest });
}
