import { tmpdir } from "node:os";
import { checkCli, explain, type SessionOptions } from "hawser";
import type { WorkOptions } from "./worker.js";

/**
 * Refuses to start a worker on which no CLI would start, with the error that each run would have: no CLI, no folder,
 * an option that does not exist. A profile that is a function is known only with its run.
 */
export async function checkProfiles({ profiles, workspace }: WorkOptions): Promise<void> {
  for (const profile of Object.values(profiles)) {
    if (typeof profile === "function") continue;
    await checkProfile(profile, workspace !== undefined);
  }
}

async function checkProfile(profile: SessionOptions, hasWorkspace: boolean): Promise<void> {
  // Its process may be started on another machine.
  if (profile.spawnClaudeCodeProcess !== undefined) return;
  const { cwd = tmpdir() } = hasWorkspace ? {} : profile;
  await explain({ ...profile, cwd });
  const { problem } = await checkCli({ ...profile, cwd });
  if (problem !== undefined) throw problem;
}
