import type { Options, Pool } from "hawser";
import type { Context } from "hono";
import { RequestError } from "../errors/request-error.js";
import type { Exchange } from "../http/exchange.js";
import type { Admission } from "../tenants/tenant.js";

/** The user of the native API, and the rights of this user. A `Tenant` of the gateway is such a user. */
export interface NativeAccess {
  readonly name: string;
  /** Whether it sees the sessions, approvals and events of all tenants and of the program. */
  readonly isAdmin: boolean;
  /** Whether it may open, prompt, stop and answer. */
  readonly canControl: boolean;
  /** Where its sessions are opened, in place of the pool of the API. */
  readonly pool?: Pool | undefined;
  /** Options of the sessions that it opens. */
  readonly options?: Options | undefined;
  /**
   * Whether nobody else uses the configuration folder that `options` name. Then all transcripts in it are its own,
   * also those of earlier runs of the server.
   * @default false
   */
  readonly ownsConfigDir?: boolean | undefined;
  /** Whether it may use a model, or an agent by the name `agent:<name>`. Without this function, it may use all. */
  mayUse?(model: string): boolean;
  /** Reserves a turn. Throws if a limit is reached. Without this function, there is no limit. */
  admit?(): Admission;
}

/** The user of a program that has no tenants. */
export const LOCAL_ACCESS: NativeAccess = { name: "local", isAdmin: true, canControl: true };

/** The variables of the application. The gateway sets `exchange`; without a gateway it is absent. */
export interface NativeEnv {
  Variables: { exchange?: Exchange; access: NativeAccess };
}

/** Throws `not_allowed` for a key that may only look. */
export function requireControl(context: Context<NativeEnv>): NativeAccess {
  const access = context.get("access");
  if (access.canControl) return access;
  throw new RequestError(
    "not_allowed",
    "This key may only look. Use a key that may control sessions.",
  );
}

/** Whether it may see what belongs to this tenant. What belongs to no tenant is for admins. */
export function maySee(access: NativeAccess, tenant: string | undefined): boolean {
  return access.isAdmin || (tenant !== undefined && tenant === access.name);
}
