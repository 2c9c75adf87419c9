import type { Pool } from "hawser";
import type { AccessEntry } from "./access-log.js";
import type { Readiness } from "./operation-routes.js";

/** What the gateway checks of each request, and what it tells about requests. */
export interface HttpOptions {
  /** Whether the server listens on loopback only. Then the header `Host` must name loopback. @default false */
  readonly isLoopback?: boolean | undefined;
  /** Names that clients may use in the header `Host`. @default the names of loopback, or else any */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that may call the gateway. @default [] */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** The largest request body, in bytes. @default 33_554_432 (32 MiB) */
  readonly bodyLimit?: number | undefined;
  /**
   * How many bytes of request bodies may be in memory at the same time. One tenant may use half of them.
   * @default 16 times `bodyLimit`
   */
  readonly bodyMemory?: number | undefined;
  /** Gets each request after its answer was sent. It holds no prompts and no keys. */
  readonly log?: ((entry: AccessEntry) => void) | undefined;
  /** Gets the errors behind answers with a status of 500 or more. */
  readonly onError?: ((error: unknown, requestId: string) => void) | undefined;
  /** Whether the server ends: new requests are refused with 503. */
  readonly isDraining?: (() => boolean) | undefined;
  /** Whether requests can be answered, for `/ready`. */
  readonly readiness?: (() => Promise<Readiness>) | undefined;
  /** The pools that `/metrics` shows. @default the pool of the gateway */
  readonly pools?: (() => Iterable<Pool>) | undefined;
}
