export type { PoolBudget } from "./admission/ledger.js";
export type { Isolation, PoolOptions } from "./options.js";
export { createPool, type Pool } from "./pool.js";
export type { PoolStats } from "./pool-stats.js";
export type { NotRecycled } from "./reset-records.js";
export type { Percentiles } from "./samples.js";
export type { DiscardReason } from "./workers/discard-reason.js";
export type { WorkerState } from "./workers/worker.js";
export type { ProcessOrigin } from "./workers/worker-choice.js";
