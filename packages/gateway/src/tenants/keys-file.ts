import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HawserError } from "hawser";
import { z } from "zod";
import { createKey, hashKey } from "./api-key.js";

/** A key in the file. The key itself is not stored. */
export interface StoredKey {
  /** Names the key in `keys list` and `keys remove`. */
  readonly id: string;
  readonly tenant: string;
  readonly sha256: string;
  /** An ISO date. */
  readonly createdAt: string;
}

/** Where the keys are: beside the configuration, or else in the user's folder for configurations. */
export function keysFileFor(configFolder: string | undefined, env: NodeJS.ProcessEnv): string {
  if (configFolder !== undefined) return join(configFolder, "hawser.keys.json");
  const windows = process.platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  const base = windows || env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config");
  const folder = isAbsolute(base) ? base : join(homedir(), ".config");
  return join(folder, "hawser", "gateway-keys.json");
}

/** The keys of the file; none if there is no file. Throws `invalid_options` if it is damaged. */
export function readKeys(file: string): StoredKey[] {
  const source = readIfThere(file);
  if (source === undefined) return [];
  const parsed = KEYS_SCHEMA.safeParse(jsonOr(source, undefined));
  if (parsed.success) return parsed.data.keys;
  throw new HawserError("invalid_options", `The keys file ${file} is damaged.`, {
    hint: "Restore it from a copy, or delete it and create the keys again with `hawser serve keys add`.",
  });
}

/** Creates a key. The returned text is the only copy of it. */
export async function addKey(file: string, tenant: string): Promise<StoredKey & { key: string }> {
  const key = createKey();
  const stored: StoredKey = {
    id: `key_${randomBytes(4).toString("hex")}`,
    tenant,
    sha256: hashKey(key),
    createdAt: new Date().toISOString(),
  };
  await changeKeys(file, (keys) => [...keys, stored]);
  return { ...stored, key };
}

/** Removes a key by its id. Returns it, or `undefined` if there is none. */
export async function removeKey(file: string, id: string): Promise<StoredKey | undefined> {
  let removed: StoredKey | undefined;
  await changeKeys(file, (keys) => {
    removed = keys.find((key) => key.id === id);
    return removed === undefined ? undefined : keys.filter((key) => key.id !== id);
  });
  return removed;
}

const KEYS_SCHEMA = z.object({
  version: z.literal(1),
  keys: z.array(
    z.object({
      id: z.string(),
      tenant: z.string(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      createdAt: z.string(),
    }),
  ),
});

/** One writer at a time. A reader sees the old file or the new one, never a part. */
async function changeKeys(
  file: string,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[] | undefined,
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  await takeLock(lock);
  try {
    const keys = change(readKeys(file));
    if (keys !== undefined) replaceFile(file, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`);
  } finally {
    rmSync(lock, { force: true });
  }
}

function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const fd = openSync(temporary, "wx", 0o600);
  try {
    // The mode of open() is reduced by the umask, but never widened; this makes it exact.
    fchmodSync(fd, 0o600);
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, file);
}

/** A lock is a file that only one process can create. One of a process that died is removed after a while. */
async function takeLock(lock: string): Promise<void> {
  const until = Date.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw cannotWrite(lock, error);
    }
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > STALE_LOCK_MS) rmSync(lock, { force: true });
    else if (Date.now() > until) {
      throw new HawserError("invalid_options", `Another program holds the lock ${lock}.`, {
        hint: "Try again; if no other command runs, delete the file.",
      });
    } else await sleep(20);
  }
}

const LOCK_WAIT_MS = 15_000;
/** A writer holds the lock for milliseconds. */
const STALE_LOCK_MS = 10_000;

function cannotWrite(file: string, cause: unknown): HawserError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new HawserError("invalid_options", `The keys cannot be written: ${why}.`, {
    hint: `Make the folder of ${file} writable, or choose another file with keysFile.`,
    cause,
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new HawserError("invalid_options", `The keys file ${file} cannot be read.`, {
      hint: "Give this user the right to read it.",
      cause: error,
    });
  }
}

function jsonOr(source: string, other: undefined): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return other;
  }
}
