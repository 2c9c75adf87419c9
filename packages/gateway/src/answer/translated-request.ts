import type { ModelRequest } from "hawser/answer";

/** A translated request, and the parameters of the client that have no effect, by their names in its format. */
export interface TranslatedRequest {
  readonly request: ModelRequest;
  readonly ignored: readonly string[];
}
