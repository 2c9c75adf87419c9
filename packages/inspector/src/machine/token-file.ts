import { createHmac, randomBytes } from "node:crypto";
import { chmod, link, lstat, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { HawserError } from "hawser";
import { isOwn } from "../announce/runtime-folder.js";
import { Tokens } from "../http/tokens.js";

/** Where the secret of this user is, of which the tokens of `hawser inspect` are made. */
export function tokenFile(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_STATE_HOME } = env;
  const state =
    XDG_STATE_HOME?.startsWith("/") === true ? XDG_STATE_HOME : join(homedir(), ".local/state");
  return join(state, "hawser", "inspect-token");
}

/**
 * The tokens for a port. They are the same after a restart, so that an open page goes on. Each port has its own: a
 * program that has taken the port of a page could otherwise ask `hawser inspect` on another port for the proof that it
 * knows the token of that page.
 */
export function tokensOfPort(secret: string, port: number): Tokens {
  const tokenFor = (rights: string) =>
    createHmac("sha256", secret).update(`${rights} ${port}`).digest("base64url");
  return new Tokens(tokenFor("control"), tokenFor("read"));
}

/**
 * Reads the secret, or makes it. Only this user can read the file. `isNew` replaces it, so that all tokens are void
 * that were made of it.
 */
export async function keptSecret(file: string, isNew = false): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await checkFolder(dirname(file));
  const known = await readSecret(file);
  if (known.secret !== undefined && !isNew) return known.secret;
  const made = randomBytes(32).toString("base64url");
  // Another program that begins at the same time never sees half a file.
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(`${made}\n`);
  } finally {
    await handle.close();
  }
  if (known.isThere) await rename(draft, file);
  else await linkIfMissing(draft, file);
  return (await readSecret(file)).secret ?? made;
}

/** Of several programs that begin at the same time, the first one makes the secret of all. */
async function linkIfMissing(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function checkFolder(folder: string): Promise<void> {
  const found = await lstat(folder);
  const isWritable = HAS_MODES && (found.mode & 0o022) !== 0;
  if (found.isDirectory() && isOwn(found) && !isWritable) return;
  throw new HawserError("not_supported", `Others can change ${folder}, so it is not used.`, {
    hint: "Make it a folder that only this user can change (chmod 700), or set XDG_STATE_HOME.",
  });
}

async function readSecret(
  file: string,
): Promise<{ readonly isThere: boolean; readonly secret?: string }> {
  const found = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return { isThere: false };
  if (!found.isFile() || !isOwn(found)) {
    throw new HawserError("not_supported", `${file} is a link or belongs to another user.`, {
      hint: "Remove it. A new one is made.",
    });
  }
  // Other users may have read it, so that this secret is not used any more.
  if (HAS_MODES && (found.mode & 0o077) !== 0) return { isThere: true };
  await chmod(file, 0o600);
  const [secret = ""] = (await readFile(file, "utf8")).split("\n");
  return /^[\w-]{43}$/.test(secret) ? { isThere: true, secret } : { isThere: true };
}

/** On Windows, the mode of a file says nothing about other users. */
const HAS_MODES = process.platform !== "win32";
