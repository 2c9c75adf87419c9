import type { Options } from "../../options/index.js";
import type { Terminal } from "../terminal.js";
import type { OfflineWorld } from "./world.js";

/** Where a command finds its CLI. */
export interface World {
  readonly options: Options;
  dispose(): Promise<void>;
}

/** Loaded only when it is asked for, because it brings a model and a fake CLI. */
export async function openOfflineWorld(cliPath: string | undefined): Promise<OfflineWorld> {
  const { openOfflineWorld: open } = await import("./world.js");
  return open(cliPath);
}

/** The world that there is, or with `--offline` one that needs no account; it says which. */
export async function openWorld(
  flags: { readonly offline: boolean; readonly cli: string | undefined },
  terminal: Terminal,
): Promise<World> {
  if (!flags.offline) return { options: {}, dispose: async () => {} };
  const world = await openOfflineWorld(flags.cli);
  terminal.note(terminal.style.dim(world.about));
  return world;
}
