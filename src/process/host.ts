import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "./own-folders.js";
import { processTable } from "./table.js";

/** The variable by which everything that this library has started can be found again. */
export const MARKER = "HAWSER_MARK";

/**
 * Names this copy of the library in this program. A second copy, or one in a worker thread, has a name
 * of its own: what it has started may outlive the first.
 */
export function hostName(): string {
  name ??= [place(), process.pid, processTable().self(), randomBytes(4).toString("hex")].join(".");
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
  const root = temporaryFolder();
  roots.add(root);
  // Short: the CLI has sockets below it, whose paths may have 107 letters.
  return join(root, `${FOLDER_PREFIX}${hostName()}-${randomBytes(6).toString("hex")}`);
}

/** Where paths for temporary files were given out. */
export function temporaryRoots(): ReadonlySet<string> {
  return roots;
}

const roots = new Set<string>();

export const FOLDER_PREFIX = "hawser-";

/**
 * The numbers of the hosts in a mark, or in a folder's name, that have died, the outermost first: all,
 * or just the one that is asked for.
 */
export function deadHosts(text: string, asked?: number): number[] {
  const here = place();
  const dead: number[] = [];
  for (const [, there, pid, started] of text.matchAll(NAME)) {
    // On another machine or in another container the same number means another process.
    if (there !== here || started === undefined) continue;
    if (asked !== undefined && asked !== Number(pid)) continue;
    if (processTable().isGone(Number(pid), started)) dead.push(Number(pid));
  }
  return dead;
}

const NAME = /(?<=^|[-:])([0-9a-f]{8})\.(\d+)\.(\d+)\.[0-9a-f]{8}(?=[-/])/g;

/** Where a process number, and a start time, mean what they do here. */
function place(): string {
  if (known === undefined) {
    const names = ["pid", "time"].map((each) => linkOf(`/proc/self/ns/${each}`));
    const facts = [bootOf() ?? hostname(), ...names].join("\n");
    known = createHash("sha256").update(facts).digest("hex").slice(0, 8);
  }
  return known;
}

let known: string | undefined;

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Only Linux has them, and not every one.
    return "";
  }
}

function bootOf(): string | undefined {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
  } catch {
    return undefined;
  }
}
