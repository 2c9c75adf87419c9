import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { temporaryRoot } from "../host-folders.js";
import { isOwnFolder, removeTree } from "../temporary/remove-folder.js";
import { hostOfTemporaryName } from "../temporary/temporary-path.js";
import { deadHost, deadHosts, MARKER_VARIABLE } from "./host-identity.js";
import { type ProcessEntry, processTable } from "./process-table.js";
import { runAtOnce, runInSlices, type Steps } from "./steps.js";
import { signalOne } from "./sweep-tree.js";

/** A process that was started by a program that has ended. */
export interface OrphanProcess {
  readonly pid: number;
  readonly command: string;
  /** Process id of the program that started it. */
  readonly hostPid: number;
}

/** Processes and folders that ended programs have left behind on this machine. */
export interface Orphans {
  readonly processes: readonly OrphanProcess[];
  /** Folders of temporary files. They may hold secrets. */
  readonly folders: readonly string[];
  /** False if processes cannot be listed, as on Windows. Then there may be more. */
  readonly seesProcesses: boolean;
}

/** Options of `findOrphans()` and `endOrphans()`. */
export interface OrphanFilter {
  /** Only leftovers of the program that had this process id. */
  readonly hostPid?: number;
}

/**
 * Finds processes and folders that programs with hawser left behind when they were killed.
 * Processes are recognised by the marker that hawser gives them, folders by their name. It sees
 * only what this user can see in this container.
 */
export function findOrphans(filter: OrphanFilter = {}): Orphans {
  return orphansOf(runAtOnce(orphanProcesses(filter)), filter);
}

/**
 * Ends the processes and removes the folders that `findOrphans()` finds. Resolves to what is left.
 */
export async function endOrphans(filter: OrphanFilter = {}): Promise<Orphans> {
  const table = processTable();
  const found = await runInSlices(orphanProcesses(filter));
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const living = () => found.filter((each) => table.alive(each));
    for (const { pid } of living()) signalOne(pid, signal);
    const until = Date.now() + GRACE_MS;
    while (living().length > 0 && Date.now() < until) await delay(20);
  }
  // A folder that cannot be removed is found again below.
  for (const folder of orphanFolders(filter)) {
    await removeTree(folder).catch(() => {});
  }
  return orphansOf(await runInSlices(orphanProcesses(filter)), filter);
}

const GRACE_MS = 2000;

function orphansOf(processes: readonly OrphanProcess[], filter: OrphanFilter): Orphans {
  return {
    processes: processes.map(({ pid, command, hostPid }) => ({ pid, command, hostPid })),
    folders: orphanFolders(filter),
    seesProcesses: processTable().sees(),
  };
}

function* orphanProcesses({
  hostPid: asked,
}: OrphanFilter): Steps<(ProcessEntry & OrphanProcess)[]> {
  const table = processTable();
  // A program that is itself in an orphaned tree must not end itself.
  const above = new Set(table.above(process.pid));
  const marked = yield* table.having(MARKER_VARIABLE);
  return marked.flatMap((each) => {
    const [hostPid] = deadHosts(each.value, asked);
    return hostPid === undefined || above.has(each.pid) ? [] : { ...each, hostPid };
  });
}

function orphanFolders({ hostPid }: OrphanFilter): string[] {
  const folder = temporaryRoot();
  try {
    return readdirSync(folder)
      .filter((name) => deadHost(hostOfTemporaryName(name) ?? "", hostPid) !== undefined)
      .map((name) => join(folder, name))
      .filter(isOwnFolder);
  } catch {
    // There is no folder for temporary files.
    return [];
  }
}
