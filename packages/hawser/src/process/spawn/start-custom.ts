import { ChildProcess } from "node:child_process";
import { HawserError, textOf } from "../../base/index.js";
import type { SpawnedProcess } from "../../options/index.js";
import type { Prepared } from "../prepare/prepare.js";
import type { Child } from "./child.js";
import { CustomChild, lackOf } from "./custom-child.js";
import type { SpawnFunction } from "./custom-spawn.js";

/**
 * Lets the custom spawn function start the CLI. Every failure of the function is `spawn_failed`.
 */
export async function startCustom(
  spawn: SpawnFunction,
  prepared: Prepared,
  env: Record<string, string>,
): Promise<Child> {
  const { file, argv, cwd } = prepared.invocation;
  const abort = new AbortController();
  const where = cwd === undefined ? {} : { cwd };
  const request = { command: file, args: [...argv], ...where, env, signal: abort.signal };
  let made: unknown;
  try {
    made = spawn(request);
    const failed = made instanceof ChildProcess ? await failureOf(made) : undefined;
    if (failed !== undefined) throw failed;
    const lack = lackOf(made);
    if (lack !== undefined) throw new Lack(lack);
    const child = new CustomChild(made as SpawnedProcess, abort, prepared.log);
    await settled(made, child);
    if (child.end.error !== undefined) throw child.end.error;
    return child;
  } catch (cause) {
    discard(made);
    abort.abort();
    throw spawnFailed(cause, prepared);
  }
}

/**
 * Why Node could not make the pipes of a child (EMFILE, ENFILE). Such a pipe is undefined. A pipe
 * that the caller's function did not ask for is null, which is that function's mistake.
 */
async function failureOf(child: ChildProcess): Promise<Error | undefined> {
  const { stdout }: { readonly stdout: unknown } = child;
  if (stdout !== undefined) return undefined;
  return new Promise((resolve) => {
    child.once("error", resolve);
    setImmediate(() => resolve(undefined));
  });
}

/** The function returned no process, so a retry would not help. */
class Lack extends Error {}

/**
 * A `ChildProcess` with a pid runs, and its output may be on the way, so nothing waits for it. Any
 * other process gets one round of the event loop to report an error, such as ENOENT of Node's
 * `spawn()`.
 */
async function settled(made: unknown, child: Child): Promise<void> {
  if (made instanceof ChildProcess && child.pid !== undefined) return;
  await new Promise((resolve) => setImmediate(resolve));
}

/** Ends what the function has started. An error without a listener would end the program. */
function discard(made: unknown): void {
  const end = (thing: unknown) => {
    const process = thing as Partial<SpawnedProcess> | null | undefined;
    process?.on?.("error", () => {});
    process?.kill?.("SIGKILL");
  };
  try {
    end(made);
    if (made instanceof Promise) made.then(end).catch(() => {});
  } catch {
    // It is not a process, or it cannot be ended from here. The caller of this function aborts the
    // signal.
  }
}

function spawnFailed(cause: unknown, { facts, mask }: Prepared): HawserError {
  const why = textOf(cause);
  const told =
    cause instanceof Lack
      ? { hint: RETURN_ONE, retryable: false }
      : { hint: "Look at `cause`: it is the error of your function.", cause };
  const message = `spawnClaudeCodeProcess did not start the CLI: ${why}`;
  return new HawserError("spawn_failed", message, { ...facts, ...told }, mask);
}

const RETURN_ONE = "Return a process with stdin, stdout, kill() and on(), such as a ChildProcess.";
