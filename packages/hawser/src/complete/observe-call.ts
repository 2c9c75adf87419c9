import {
  CHANNELS,
  eventTime,
  isHawserError,
  publish,
  runTraced,
  TRACING_CHANNELS,
} from "../base/index.js";
import { type Options, requestedFacts } from "../options/index.js";
import type { Completion } from "./completion.js";

/** The facts of a call that its events report. */
export interface ObservedCall {
  readonly call: number;
  readonly caller: string;
  readonly tenant: string | undefined;
  readonly prompt: unknown;
  readonly options: Options;
}

/** Runs a call, and publishes its start and its end. */
export function observeCall<T extends Completion<unknown>>(
  { prompt, options, ...ids }: ObservedCall,
  run: () => Promise<T>,
): Promise<T> {
  const { callStart, callEnd } = CHANNELS;
  const isWatched = callStart.hasSubscribers || callEnd.hasSubscribers;
  const startedAt = eventTime();
  publish(callStart, () => ({ at: startedAt, ...ids, prompt, ...requestedFacts(options) }));
  const outcome = runTraced(TRACING_CHANNELS.call, () => ({ ...ids }), run);
  if (!isWatched) return outcome;
  const times = () => {
    const at = eventTime();
    return { at, ms: at - startedAt };
  };
  outcome.then(
    (completion) => {
      const { costUsd } = completion;
      publish(callEnd, () => ({ ...times(), ...ids, outcome: "ok", costUsd, completion }));
    },
    (error: unknown) => {
      const code = isHawserError(error) ? error.code : "unknown";
      publish(callEnd, () => ({ ...times(), ...ids, outcome: code, error }));
    },
  );
  return outcome;
}
