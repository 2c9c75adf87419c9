import { atHostExit } from "./at-host-exit.js";
import { hostMarks } from "./host-identity.js";
import type { ProcessEntry } from "./process-table.js";
import { runAtOnce } from "./steps.js";
import { killThese } from "./sweep-tree.js";

/** A process whose tree must not outlive this program. */
export interface TreeOfHost {
  /** The marker of the tree. Undefined if the tree cannot be seen from here. */
  readonly marker: string | undefined;
  /** Sends SIGKILL to the process. Returns what was recorded of its tree. */
  killRoot(): ProcessEntry[];
  removeFiles(): void;
}

/**
 * Kills the tree synchronously if this program ends before the returned function is called. One
 * search serves all trees.
 */
export function killAtHostExit(tree: TreeOfHost): () => void {
  trees.add(tree);
  // The latest clean-up runs first, so the trees are always killed before the folders that were
  // made for them are removed.
  const earlier = release;
  release = atHostExit(() => killTrees());
  earlier?.();
  return () => {
    if (!trees.delete(tree) || trees.size > 0) return;
    release?.();
    release = undefined;
  };
}

const trees = new Set<TreeOfHost>();
let release: (() => void) | undefined;

function killTrees(): void {
  const all = [...trees].reverse();
  const recorded = all.flatMap((tree) => attempt(() => tree.killRoot()) ?? []);
  const markers = all.flatMap(({ marker }) => marker ?? []);
  if (markers.length > 0) attempt(() => killRemaining(recorded, markers));
  for (const tree of all) attempt(() => tree.removeFiles());
}

/** There is no time to wait for the deaths, so there is no third search. */
function killRemaining(recorded: readonly ProcessEntry[], markers: readonly string[]): void {
  const known = new Set(killThese(recorded).map(({ pid }) => pid));
  const { found, isCertain } = runAtOnce(hostMarks().find(markers));
  killThese(found);
  // Where a process has escaped the record, more may have, so everything is read.
  if (isCertain && found.every(({ pid }) => known.has(pid))) return;
  hostMarks().forget();
  killThese(runAtOnce(hostMarks().find(markers)).found);
}

/** The failure of one tree must not spare the others. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
