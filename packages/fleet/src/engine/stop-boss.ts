import type { PgBoss } from "pg-boss";
import { settlesWithin } from "../database/settles-within.js";

/** How long the end waits for statements that are under way. */
const STOP_LIMIT_MS = 5_000;

/**
 * Stops pg-boss and waits for its statements, but not for a silent database: those that are left end with their
 * connections. The database itself stays open.
 */
export async function stopBoss(boss: PgBoss, maintenance?: Promise<void>): Promise<void> {
  const stopped = boss.stop({ graceful: false, close: false });
  await settlesWithin(Promise.allSettled([stopped, maintenance]), STOP_LIMIT_MS);
}
