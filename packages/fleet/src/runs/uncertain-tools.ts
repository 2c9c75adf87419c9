import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { ToolIntent } from "./run.js";

interface IntentRow {
  readonly tool_use_id: string;
  readonly segment: number;
  readonly tool: string;
  readonly input: string;
  readonly done: boolean;
  readonly at: Date;
}

/** The tool calls that segments before this one began, and whose end the CLI never reported. */
export async function readUncertain(
  { database }: FleetParts,
  db: Queryable,
  run: string,
  segment: number,
): Promise<ToolIntent[]> {
  const { rows } = await db.query<IntentRow>(
    `select tool_use_id, segment, tool, input, done, at from ${database.schema}.intent
     where run_id = $1 and segment < $2 and not done order by at, tool_use_id`,
    [run, segment],
  );
  return rows.map((row) => ({
    toolUseId: row.tool_use_id,
    tool: row.tool,
    input: JSON.parse(row.input) as Record<string, unknown>,
    segment: row.segment,
    done: row.done,
    at: row.at,
  }));
}

/** The number of the last segment with which the run failed; 0 if it never did. */
export async function readLastFailure({ database }: FleetParts, run: string): Promise<number> {
  const { rows } = await database.query<{ segment: number }>(
    `select coalesce(max(segment), 0)::int as segment from ${database.schema}.segment
     where run_id = $1 and "end" = 'failed'`,
    [run],
  );
  return rows[0]?.segment ?? 0;
}
