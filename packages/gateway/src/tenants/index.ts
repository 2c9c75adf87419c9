export { createKey, hashKey, KEY_PREFIX } from "./api-key.js";
export { addKey, keysFileFor, readKeys, removeKey, type StoredKey } from "./keys-file.js";
export {
  DaySums,
  dayOf,
  FileLedger,
  type SpendingLedger,
  stateFolderFor,
} from "./spending-ledger.js";
export type { Admission, RateLimit, RateLimits, Tenant, Used } from "./tenant.js";
export { type Limits, TenantLimits } from "./tenant-limits.js";
export {
  RegisteredTenant,
  type RegistryPlan,
  type TenantPlan,
  TenantRegistry,
} from "./tenant-registry.js";
