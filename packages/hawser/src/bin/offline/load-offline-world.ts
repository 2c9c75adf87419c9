import type { OfflineWorld } from "../../testing/index.js";
import type { WorldOptions } from "./world.js";

/** Loads the world only when it is needed, because it brings a model and a fake CLI. */
export async function loadOfflineWorld(options: WorldOptions): Promise<OfflineWorld> {
  const { openOfflineWorld } = await import("./world.js");
  return openOfflineWorld(options);
}

/** Says which CLI answers in a world. */
export function describeWorld({ isReal, cliVersion = "of unknown version" }: OfflineWorld): string {
  return isReal
    ? `offline: the real Claude Code ${cliVersion} on a simulated model`
    : "offline: no Claude Code CLI was found, so a stand-in answers, whose tools do nothing";
}
