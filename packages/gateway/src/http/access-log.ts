import type { RequestRecord } from "./exchange.js";

/** One answered request. It holds no prompt, no answer and no key. */
export interface AccessEntry extends RequestRecord {
  /** When the request arrived, as an ISO date. */
  readonly time: string;
  readonly id: string;
  readonly method: string;
  /** The path as it was asked for, without the query, and cut if it is long. */
  readonly path: string;
  /** The route that answered, such as `/v1/responses/:id`; `undefined` if there is none. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
  readonly tenant: string | undefined;
  /** The client was gone before the whole answer was sent. */
  readonly isAborted: boolean;
  readonly traceparent: string | undefined;
}

/**
 * One line of JSON. `limits` are left out, because they are in the headers of the answer. What the client chose is
 * cut, so that no request makes a line of megabytes.
 */
export function accessLine({ limits: _, ...entry }: AccessEntry): string {
  const { costUsd, ms, firstByteMs, queuedMs, model, ignored, traceparent } = entry;
  return `${JSON.stringify({
    ...entry,
    model: model && shortText(model),
    ignored: ignored?.slice(0, MOST_IGNORED).map(shortText),
    traceparent: traceparent && shortText(traceparent),
    ms: rounded(ms),
    firstByteMs: rounded(firstByteMs),
    queuedMs: rounded(queuedMs),
    costUsd,
  })}\n`;
}

/** What a log or an event may show of a text that a client chose, such as a path. */
export function shortText(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}…`;
}

const LONGEST_TEXT = 200;
const MOST_IGNORED = 50;

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}
