import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { onTestFinished } from "vitest";
import { CHANNELS, type ProcessEvent } from "../../src/base/index.js";

/** What the diagnostics channels publish about the processes of all pools of this test file, from now on. */
export interface Watched {
  /** The process ids that were assigned to calls, in order. */
  readonly assigned: readonly (number | undefined)[];
  /** The process ids whose conversation was reset, in order. */
  readonly resets: readonly (number | undefined)[];
  /** Why each process was discarded, by its id. */
  readonly discarded: ReadonlyMap<number | undefined, string | undefined>;
}

export function watched(): Watched {
  const assigned: (number | undefined)[] = [];
  const resets: (number | undefined)[] = [];
  const discarded = new Map<number | undefined, string | undefined>();
  on(CHANNELS.processAssigned, ({ pid }) => assigned.push(pid));
  on(CHANNELS.processReset, ({ pid }) => resets.push(pid));
  on(CHANNELS.processDiscarded, ({ pid, reason }) => discarded.set(pid, reason));
  return { assigned, resets, discarded };
}

function on({ name }: { readonly name: string | symbol }, listen: (event: ProcessEvent) => void) {
  const listener = (event: unknown) => listen(event as ProcessEvent);
  subscribe(name, listener);
  onTestFinished(() => void unsubscribe(name, listener));
}
