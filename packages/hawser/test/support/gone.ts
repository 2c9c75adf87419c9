import { expect, vi } from "vitest";
import { processes } from "../../src/process/index.js";

/** A call that keeps no session has its answer before its process is gone; that it goes is owed. */
export async function allGone(): Promise<void> {
  await vi.waitFor(() => expect(processes()).toEqual([]), { timeout: 30_000, interval: 20 });
}
