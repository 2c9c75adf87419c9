import { hostname } from "node:os";
import { checkProfiles } from "./check-profiles.js";
import { checkWorkOptions } from "./check-work-options.js";
import { defaultSlots } from "./default-slots.js";
import { FleetWorker } from "./fleet-worker.js";
import type { Worker, WorkOptions } from "./worker.js";
import type { WorkerParts, WorkerSettings } from "./worker-settings.js";

/** Starts to claim and run what is queued. Resolves when the worker is ready for the first claim. */
export async function startWorker(parts: WorkerParts, options: WorkOptions): Promise<Worker> {
  checkWorkOptions(options);
  await checkProfiles(options);
  const settings: WorkerSettings = {
    parts,
    profiles: options.profiles,
    slots: options.slots ?? defaultSlots(),
    workspace: options.workspace,
    credential: options.credential,
    approve: options.approve,
    holdMs: options.holdMs ?? 5_000,
    approvalTimeoutMs: options.approvalTimeoutMs,
    onUncertain: options.onUncertain ?? "tell",
    onRecover: options.onRecover,
    queues: options.labels ?? ["default"],
    name: options.name ?? `${hostname()}:${process.pid}`,
    drainMs: options.drainMs ?? 30_000,
    logger: options.logger ?? parts.logger,
  };
  return await FleetWorker.start(settings);
}
