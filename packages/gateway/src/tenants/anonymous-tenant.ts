import type { Options } from "hawser";
import type { Tenant } from "./tenant.js";

/** The tenant of a gateway without keys: it may use everything, without limits. */
export function anonymousTenant(options: Options = {}): Tenant {
  return {
    name: "anonymous",
    options,
    isAdmin: true,
    canControl: true,
    mayUse: () => true,
    admit: () => ({ limits: {}, settle: () => {} }),
  };
}
