/**
 * JSON values that programs keep beside their runs, such as the responses of a gateway. Each belongs to one tenant:
 * `get` and `delete` find only what was put for the same tenant.
 */
export interface FleetDocuments {
  /** The value; undefined if there is none, or if its time is over. */
  get(tenant: string, id: string): Promise<unknown>;
  /** Adds a value, or replaces the one with the same id. */
  put(
    tenant: string,
    id: string,
    value: unknown,
    options?: {
      /** How long it is kept. @default until it is deleted */
      readonly ttlMs?: number;
    },
  ): Promise<void>;
  /** Whether there was such a value. */
  delete(tenant: string, id: string): Promise<boolean>;
}
