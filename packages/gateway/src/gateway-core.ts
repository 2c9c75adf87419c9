import type { Approvals, Pool } from "hawser";
import type { Answer, ModelRequest } from "hawser/answer";
import type { HostedTools } from "./body/hosted-tools.js";
import type { Exchange } from "./http/exchange.js";
import type { UrlFiles } from "./http/url-files.js";
import type { ResponseStore } from "./openai/responses/response-store.js";

/** What the routes need of the gateway. */
export interface GatewayCore {
  readonly pool: Pool;
  readonly approvals: Approvals;
  /** Where the responses of the Responses API are kept. */
  readonly responses: ResponseStore;
  /** How long a stream may be silent; undefined for the default of `sseResponse()`. */
  readonly heartbeatMs: number | undefined;
  /** Whether tokens are counted by an estimate. */
  readonly countTokens: boolean;
  /** Takes the files that a request names by URL; undefined if URLs are refused. */
  filesFor(exchange: Exchange): UrlFiles | undefined;
  readonly hostedTools: HostedTools;
  /**
   * Answers a request: finds the model or the agent, checks the rights and limits of the tenant, fetches the files
   * that the request names by URL, runs the call, and books what it used. Throws before the first event if the
   * request is refused.
   */
  answer(exchange: Exchange, request: ModelRequest, files?: UrlFiles): Promise<Answer>;
  /** The models and agents that the tenant may use. */
  models(exchange: Exchange): readonly ModelEntry[];
}

/** A row of `GET /v1/models`. */
export interface ModelEntry {
  readonly id: string;
  readonly displayName: string;
}
