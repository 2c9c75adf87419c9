import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processTable } from "./table.js";

/** The variable by which everything that this library has started can be found again. */
export const MARKER = "HAWSER_MARK";

/**
 * Names this copy of the library in this program. A second copy, or one in a worker thread, has a name
 * of its own: what it has started may outlive the first.
 */
export function hostName(): string {
  name ??= [namespaceOf(), process.pid, processTable().self(), randomBytes(4).toString("hex")].join(
    ".",
  );
  return name;
}

let name: string | undefined;

/** A mark for one more process. It begins with the host's name, so that each finds its own. */
export function newMark(): string {
  return `${hostName()}/${randomUUID()}`;
}

/** The environment with a mark in it. Inside another of our trees, both owners must find the process. */
export function withMark(env: NodeJS.ProcessEnv, mark: string): Record<string, string> {
  const outer = env[MARKER];
  return { ...(env as Record<string, string>), [MARKER]: outer ? `${outer}:${mark}` : mark };
}

/** A new path for temporary files: its name says whose they are to whoever finds them. */
export function temporaryPath(): string {
  return join(tmpdir(), `${FOLDER_PREFIX}${hostName()}-${randomUUID()}`);
}

export const FOLDER_PREFIX = "hawser-";

/**
 * The numbers of the hosts in a mark, or in a folder's name, that have died, the outermost first: all,
 * or just the one that is asked for.
 */
export function deadHosts(text: string, asked?: number): number[] {
  const here = namespaceOf();
  const dead: number[] = [];
  for (const [, namespace, pid, started] of text.matchAll(NAME)) {
    // In another container the same number means another process: there is nothing to be said.
    if (namespace !== here || started === undefined) continue;
    if (asked !== undefined && asked !== Number(pid)) continue;
    if (!processTable().wasStarted(Number(pid), started)) dead.push(Number(pid));
  }
  return dead;
}

const NAME = /(?<=^|[-:])(\d+)\.(\d+)\.(\d+)\.[0-9a-f]{8}(?=[-/])/g;

function namespaceOf(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    // Only Linux has them.
    return "0";
  }
}

/** Whether a process can be found by its environment alone. */
export function showsEnvironments(): boolean {
  try {
    return readFileSync("/proc/self/environ").length > 0;
  } catch {
    return false;
  }
}
