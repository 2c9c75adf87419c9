export type { Warmth } from "./crew.js";
export type { PoolBudget } from "./ledger.js";
export type { Isolation, PoolOptions } from "./options.js";
export { createPool, type Pool } from "./pool.js";
export type { NotRecycled } from "./reset-record.js";
export type { Percentiles, PoolStats } from "./stats.js";
export type { WorkerState } from "./worker.js";
