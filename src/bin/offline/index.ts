import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Options } from "../../options/index.js";
import { atHostExit, temporaryPath } from "../../process/index.js";
import type { Terminal } from "../terminal.js";
import type { OfflineWorld } from "./world.js";

/** Where a command finds its CLI. */
export interface World {
  readonly options: Options;
  dispose(): Promise<void>;
}

/** Loaded only when it is asked for: it brings a model and a fake CLI. */
export async function openOfflineWorld(cliPath: string | undefined): Promise<OfflineWorld> {
  const { openOfflineWorld: open } = await import("./world.js");
  const forget = atHostExit(removeTemporary);
  try {
    const world = await open(cliPath);
    return { ...world, dispose: () => world.dispose().finally(forget) };
  } catch (error) {
    forget();
    throw error;
  }
}

/** All folders of this program, also one that is just being made when a signal comes. */
function removeTemporary(): void {
  const path = temporaryPath();
  const [folder, own] = [dirname(path), basename(path).slice(0, -UUID_LENGTH)];
  for (const name of readdirSync(folder)) {
    if (name.startsWith(own)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

const UUID_LENGTH = 36;

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
