import type { Options } from "../../options/index.js";
import type { Terminal } from "../terminal.js";

/** Where a command finds its CLI. */
export interface World {
  readonly options: Options;
  dispose(): Promise<void>;
}

/** The world that there is, or with `--offline` one that needs no account; it says which. */
export async function openWorld(
  flags: { readonly offline: boolean; readonly cli: string | undefined },
  terminal: Terminal,
): Promise<World> {
  if (!flags.offline) return { options: {}, dispose: async () => {} };
  const { openOfflineWorld } = await import("./world.js");
  const world = await openOfflineWorld(flags.cli);
  terminal.note(terminal.style.dim(world.about));
  return world;
}
