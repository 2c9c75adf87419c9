export { AbortError } from "./abort-error.js";
export * from "./official-constants.js";
export { query } from "./query.js";
export { startup } from "./startup.js";
export type * from "./types/index.js";
export * from "./unsupported-exports.js";
