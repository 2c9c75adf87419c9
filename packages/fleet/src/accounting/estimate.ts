import type { Queryable } from "../database/database.js";
import type { ChargedTokens } from "./ledger.js";

/**
 * What kinds of tokens cost beside an input token. The ratios are the same for all models of the API's price list;
 * the price itself is learnt from the charges of the model.
 */
const RATIO = { output: 5, cacheWrite: 1.25, cacheRead: 0.1 } as const;

/** A segment of which the CLI did not say the cost. */
export interface UnknownCost {
  readonly tenant: string;
  /** What was counted until the segment ended. Undefined: the CLI was not asked, so that it made no request. */
  readonly usage: ChargedTokens | undefined;
  readonly reservedUsd: number;
  /** Whether the run has a budget: then the reservation is all that the segment was allowed to spend. */
  readonly isLimited: boolean;
}

/**
 * The cost of a segment of which the CLI did not say it, at most what the segment was allowed to spend:
 *
 * - If the CLI was not asked, nothing.
 * - If tokens were counted: these, at the price that the model had in earlier charges. Without an earlier charge of the
 *   model, the dearest of the tenant's last thousand segments.
 * - If the CLI was asked and no answer had begun, its first request may be under way: the dearest request of the
 *   tenant's last thousand segments.
 *
 * A tenant that was never charged an amount is charged what was reserved.
 */
export async function estimateCost(
  db: Queryable,
  schema: string,
  segment: UnknownCost,
): Promise<number> {
  const { usage, reservedUsd, isLimited } = segment;
  if (usage === undefined) return 0;
  const estimate = (await guessCost(db, schema, segment.tenant, usage)) ?? reservedUsd;
  return isLimited ? Math.min(estimate, reservedUsd) : estimate;
}

async function guessCost(
  db: Queryable,
  schema: string,
  tenant: string,
  usage: ChargedTokens,
): Promise<number | undefined> {
  const counted = countedTokens(usage);
  if (!(counted > 0)) return await dearest(db, schema, tenant, "cost_usd / greatest(requests, 1)");
  const price = await priceOf(db, schema, usage.model);
  if (price !== undefined) return roundUsd(counted * price);
  return await dearest(db, schema, tenant, "cost_usd");
}

function countedTokens(usage: ChargedTokens): number {
  const { inputTokens, outputTokens, cacheWriteTokens, cacheReadTokens } = usage;
  return (
    inputTokens +
    RATIO.output * outputTokens +
    RATIO.cacheWrite * cacheWriteTokens +
    RATIO.cacheRead * cacheReadTokens
  );
}

/** The price of an input token, by the last charges of the model whose cost is known. */
async function priceOf(
  db: Queryable,
  schema: string,
  model: string | undefined,
): Promise<number | undefined> {
  if (model === undefined) return undefined;
  const { rows } = await db.query<{ cost: string | null; tokens: string | null }>(
    `select sum(cost_usd) as cost, sum(input_tokens + ${RATIO.output} * output_tokens
       + ${RATIO.cacheWrite} * cache_write_tokens + ${RATIO.cacheRead} * cache_read_tokens) as tokens from (
       select * from ${schema}.charge where model = $1 and not estimated order by at desc limit 50
     ) as last`,
    [model],
  );
  const tokens = Number(rows[0]?.tokens ?? 0);
  return tokens > 0 ? Number(rows[0]?.cost ?? 0) / tokens : undefined;
}

/** The greatest amount of the tenant's last charges; undefined if they cost nothing, because then the price is not known. */
async function dearest(
  db: Queryable,
  schema: string,
  tenant: string,
  amount: "cost_usd" | "cost_usd / greatest(requests, 1)",
): Promise<number | undefined> {
  const { rows } = await db.query<{ cost: string | null }>(
    `select round(max(${amount}), 10) as cost from (
       select cost_usd, requests from ${schema}.charge where tenant = $1 order by at desc limit 1000
     ) as last`,
    [tenant],
  );
  const cost = rows[0]?.cost;
  return cost === null || cost === undefined || Number(cost) === 0 ? undefined : Number(cost);
}

/** Ten decimal places, as amounts are stored: less than any price of a token. */
function roundUsd(amount: number): number {
  return Math.round(amount * 1e10) / 1e10;
}
