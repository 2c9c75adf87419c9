import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { type Environment, HawserError, scarcityHint } from "../../base/index.js";

/** The identity that a process is started under. */
export interface User {
  readonly uid: number;
  readonly gid: number;
  readonly home: string | undefined;
}

/** The environment of a process of that user: HOME is the home of the user, if the user has one. */
export function withUserHome<Env extends Environment>(user: User | undefined, env: Env): Env {
  return user?.home === undefined ? env : { ...env, HOME: user.home };
}

/**
 * Looks up a user by name or number. Only root may start a process as another user. Every user may
 * ask for itself, because that changes nothing.
 */
export async function resolveUser(user: string | number, self: number = ownUid()): Promise<User> {
  const text = String(user);
  if (!/^[^\0-\x1f\x7f:/]+$/.test(text)) {
    throw refuse(`user ${JSON.stringify(text)} is not a valid user name or number.`);
  }
  const found = fromPasswd(text) ?? (await fromId(text)) ?? fromNumber(text);
  if (found === undefined) throw refuse(`There is no user "${text}" on this machine.`);
  if (self !== 0 && found.uid !== self) {
    throw refuse(
      "Only root can start the CLI as another user.",
      "Run as root, or leave `user` out.",
    );
  }
  return found;
}

function ownUid(): number {
  if (process.getuid === undefined) throw refuse("`user` is not available on this platform.");
  return process.getuid();
}

function refuse(message: string, hint = "Correct the option `user`."): HawserError {
  return new HawserError("invalid_options", message, { hint, issues: [{ path: "user", message }] });
}

function fromPasswd(user: string): User | undefined {
  let passwd: string;
  try {
    passwd = readFileSync("/etc/passwd", "utf8");
  } catch (error) {
    throwIfScarce(error);
    // Some systems keep users elsewhere; `id` knows them.
    return undefined;
  }
  for (const line of passwd.split("\n")) {
    const [name, , uid, gid, , home] = line.split(":");
    if (name === user || uid === user) return { uid: Number(uid), gid: Number(gid), home };
  }
  return undefined;
}

async function fromId(user: string): Promise<User | undefined> {
  const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, "--", user])));
  if (uid === undefined || gid === undefined) return undefined;
  return { uid: Number(uid), gid: Number(gid), home: undefined };
}

/**
 * A number that no user has is still an identity, as in containers; its group has the same number.
 */
function fromNumber(user: string): User | undefined {
  if (!/^\d{1,10}$/.test(user) || Number(user) > HIGHEST_ID) return undefined;
  return { uid: Number(user), gid: Number(user), home: undefined };
}

/** One below the number that means "no change". */
const HIGHEST_ID = 2 ** 32 - 2;

function run(file: string, args: string[]): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: 5000, killSignal: "SIGKILL" }, (error, stdout) => {
      try {
        throwIfScarce(error);
        resolve(error === null && /^\d+\s*$/.test(stdout) ? stdout.trim() : undefined);
      } catch (scarce) {
        reject(scarce);
      }
    });
  });
}

/** If the system lacks files or processes for now, the user may still exist. */
function throwIfScarce(cause: unknown): void {
  const { code, message = "" } = (cause ?? {}) as NodeJS.ErrnoException;
  const hint = scarcityHint(code);
  if (hint === undefined) return;
  const text = `The user of the option \`user\` could not be looked up: ${message}`;
  throw new HawserError("spawn_failed", text, { cause, hint });
}
