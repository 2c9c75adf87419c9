import type { ResponseObject } from "./response-object.js";

/** A response that the model is working on. */
export interface RunningResponse {
  /** The response so far; undefined if the client does not want it to be stored. */
  readonly stored: () => ResponseObject | undefined;
  /** Ends the work of the model, and gives what there is of the response. */
  cancel(): Promise<ResponseObject>;
}

/** The responses in progress in this process, by tenant and id. */
export class RunningResponses {
  readonly #running = new Map<string, RunningResponse>();

  get(tenant: string, id: string): RunningResponse | undefined {
    return this.#running.get(keyOf(tenant, id));
  }

  add(tenant: string, id: string, response: RunningResponse): void {
    this.#running.set(keyOf(tenant, id), response);
  }

  remove(tenant: string, id: string): void {
    this.#running.delete(keyOf(tenant, id));
  }
}

function keyOf(tenant: string, id: string): string {
  return JSON.stringify([tenant, id]);
}
