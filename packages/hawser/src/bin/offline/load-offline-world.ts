import type { OfflineWorld } from "../../testing/index.js";
import type { WorldOptions } from "./world.js";

/** Loads the world only when it is needed, because it brings a model and a fake CLI. */
export async function loadOfflineWorld(options: WorldOptions): Promise<OfflineWorld> {
  const { openOfflineWorld } = await import("./world.js");
  return openOfflineWorld(options);
}

/** Says which CLI answers in a world. */
export function describeWorld({ isReal, cliVersion = "(unknown version)" }: OfflineWorld): string {
  return isReal
    ? `offline: Claude Code ${cliVersion} with a simulated model`
    : "offline: no Claude Code CLI was found, so a stand-in answers; its tools do nothing";
}
