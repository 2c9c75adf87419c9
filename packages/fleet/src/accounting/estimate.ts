import type { Queryable } from "../database/database.js";
import type { ChargedTokens } from "./ledger.js";

/**
 * What kinds of tokens cost beside an input token. The ratios are the same for all models of the API's price list;
 * the price itself is learnt from the charges of the model.
 */
const RATIO = { output: 5, cacheWrite: 1.25, cacheRead: 0.1 } as const;

/**
 * The cost of a segment of which the CLI did not say it: the tokens that were counted, at the price that the model
 * had in earlier charges. If the tokens or the price are not known: the dearest of the tenant's last thousand
 * segments, or what was reserved.
 */
export async function estimateCost(
  db: Queryable,
  schema: string,
  segment: {
    readonly tenant: string;
    readonly usage: ChargedTokens | undefined;
    readonly reservedUsd: number;
  },
): Promise<number> {
  const counted = countedTokens(segment.usage);
  const price = counted > 0 ? await priceOf(db, schema, segment.usage?.model) : undefined;
  if (price !== undefined) return roundUsd(counted * price);
  return (await dearestSegment(db, schema, segment.tenant)) ?? segment.reservedUsd;
}

function countedTokens(usage: ChargedTokens | undefined): number {
  if (usage === undefined) return 0;
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

async function dearestSegment(
  db: Queryable,
  schema: string,
  tenant: string,
): Promise<number | undefined> {
  const { rows } = await db.query<{ cost: string | null }>(
    `select max(cost_usd) as cost from (
       select cost_usd from ${schema}.charge where tenant = $1 order by at desc limit 1000
     ) as last`,
    [tenant],
  );
  const cost = rows[0]?.cost;
  return cost === null || cost === undefined ? undefined : Number(cost);
}

/** Ten decimal places, as amounts are stored: less than any price of a token. */
function roundUsd(amount: number): number {
  return Math.round(amount * 1e10) / 1e10;
}
