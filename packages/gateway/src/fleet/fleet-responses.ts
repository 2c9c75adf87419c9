import type { ResponseStore, StoredResponse } from "../openai/responses/response-store.js";
import type { FleetDocuments } from "./gateway-fleet.js";

/**
 * Keeps responses in the database of a fleet, so that `previous_response_id` works after a restart and on every
 * gateway of the fleet. They are kept for thirty days, as OpenAI keeps them.
 */
export function fleetResponses(documents: FleetDocuments): ResponseStore {
  return {
    get: async (tenant, id) => (await documents.get(tenant, id)) as StoredResponse | undefined,
    put: (tenant, id, response) => documents.put(tenant, id, response, { ttlMs: KEPT_MS }),
    delete: (tenant, id) => documents.delete(tenant, id),
  };
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
