import type { FleetParts } from "../engine/fleet-parts.js";
import { checkName, invalidOption } from "./invalid-option.js";
import type { DayUsage } from "./tenants.js";

interface SpendRow {
  readonly cost_usd: string;
  readonly estimated_usd: string;
  readonly reserved_usd: string;
  readonly runs: number;
  readonly input_tokens: string;
  readonly output_tokens: string;
}

/** What a tenant spent on a day of UTC; zeros for a day without runs. */
export async function readUsage(
  { database }: FleetParts,
  tenant: string,
  at: Date = new Date(),
): Promise<DayUsage> {
  checkName("tenant", tenant);
  if (Number.isNaN(at.getTime())) throw invalidOption("day", "is not a date", "Give a valid Date.");
  const day = at.toISOString().slice(0, 10);
  const { rows } = await database.query<SpendRow>(
    `select cost_usd, estimated_usd, reserved_usd, runs, input_tokens, output_tokens
     from ${database.schema}.spend where tenant = $1 and day = $2`,
    [tenant, day],
  );
  const [row] = rows;
  return {
    tenant,
    day,
    costUsd: Number(row?.cost_usd ?? 0),
    estimatedUsd: Number(row?.estimated_usd ?? 0),
    reservedUsd: Number(row?.reserved_usd ?? 0),
    runs: row?.runs ?? 0,
    inputTokens: Number(row?.input_tokens ?? 0),
    outputTokens: Number(row?.output_tokens ?? 0),
  };
}
