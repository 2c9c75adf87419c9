import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { Claim } from "./claims.js";
import { claimLost } from "./failures.js";

/**
 * Throws `lease_lost` unless the claim's epoch is still that of the session. The session's row stays locked until the
 * transaction ends, so that nobody else can take it before the write is done.
 */
export async function checkEpoch(
  { database }: FleetParts,
  db: Queryable,
  claim: Claim,
  lock: "for share" | "for no key update",
): Promise<void> {
  const { rows } = await db.query(
    `select 1 from ${database.schema}.session where id = $1 and epoch = $2 ${lock}`,
    [claim.run.sessionId, claim.epoch],
  );
  if (rows.length === 0) throw claimLost(claim.run.id, claim.segment);
}
