import type { Fleet } from "../fleet.js";
import type { FleetPlace } from "./open-place.js";
import type { CommandShell } from "./shell.js";

/** A worker says every few seconds that it lives. After this time it is gone, or cannot reach the database. */
export const LIVING_MS = 15_000;

/** Whether a worker lives that takes runs of the queue. */
export async function isServed(fleet: Fleet, queue: string): Promise<boolean> {
  const { hosts } = await fleet.stats();
  return hosts.some(
    ({ seenAt, queues, draining }) =>
      !draining && queues.includes(queue) && Date.now() - seenAt.getTime() < LIVING_MS,
  );
}

/** Says that nobody works on the runs of the queue, and how to start a worker. */
export function adviseWorker({ terminal }: CommandShell, place: FleetPlace, queue: string): void {
  terminal.warn(
    `No worker serves the queue ${queue}. The run waits until one starts: ${workerCommand(place, queue)}`,
  );
}

/** The command that serves a queue of the fleet. */
export function workerCommand({ isOffline, flags }: FleetPlace, queue: string): string {
  const usual = isOffline ? "offline" : "default";
  return `hawser worker${flags}${queue === usual ? "" : ` --label ${queue}`}`;
}
