import type { Content } from "../content/content.js";
import type { Conventions } from "../conventions.js";
import type { Instruments } from "../metrics/instruments.js";
import type { OpenSpans } from "./open-spans.js";

/** What the parts of one instrumentation share. */
export interface Instrumentation {
  readonly spans: OpenSpans;
  readonly instruments: Instruments;
  readonly content: Content;
  readonly conventions: Conventions;
  /** The value of `gen_ai.provider.name`. */
  readonly provider: string;
}
