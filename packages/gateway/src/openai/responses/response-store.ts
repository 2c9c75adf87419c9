import type { ResponseItem } from "./response-item.js";
import type { ResponseObject } from "./response-object.js";

/**
 * Where the gateway keeps responses, for `previous_response_id` and `GET /v1/responses/:id`. A response belongs to
 * one tenant: `get` and `delete` find only responses that were put for the same tenant.
 */
export interface ResponseStore {
  get(tenant: string, id: string): Promise<StoredResponse | undefined>;
  /** Adds a response, or replaces the one with the same id. */
  put(tenant: string, id: string, response: StoredResponse): Promise<void>;
  /** Whether there was such a response. */
  delete(tenant: string, id: string): Promise<boolean>;
}

/** A response with the conversation that led to it. All of it is JSON. */
export interface StoredResponse {
  readonly response: ResponseObject;
  /**
   * The items of the conversation before this request. Each response has the whole conversation, so that it can be
   * continued when earlier responses are gone.
   */
  readonly earlier: readonly ResponseItem[];
  /** The items of this request. */
  readonly input: readonly ResponseItem[];
  /** The items of the answer, with the thinking that the client may not have asked for. */
  readonly output: readonly ResponseItem[];
}
