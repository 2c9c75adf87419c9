import { type Channel, channel } from "node:diagnostics_channel";

/** An event of a process in a pool. */
export interface ProcessEvent {
  readonly pool: number;
  readonly worker: number;
  readonly pid: number | undefined;
  /** Why the process was discarded: a code of `DiscardReason`. */
  readonly reason?: string;
  /** The message of the error that led to it, if there was an error. */
  readonly detail?: string;
  /** How the caller got the process. */
  readonly how?: string;
  readonly jobs?: number;
  readonly ms?: number;
}

export interface CallEvent {
  /** The number of the call, equal in its start event and its end event. */
  readonly call: number;
  readonly caller: string;
  readonly tenant: string | undefined;
  /** At the end: `ok`, or the code of the failure. */
  readonly outcome?: string;
  readonly ms?: number;
  readonly costUsd?: number | undefined;
  readonly error?: unknown;
}

export type ChannelName =
  | "processStart"
  | "processReady"
  | "processAssigned"
  | "processReset"
  | "processDiscarded"
  | "callStart"
  | "callEnd";

/** For metrics and traces, by `node:diagnostics_channel`. They cost nothing without a subscriber. */
export const CHANNELS: Readonly<Record<ChannelName, Channel>> = {
  processStart: channel("hawser:process:start"),
  processReady: channel("hawser:process:ready"),
  processAssigned: channel("hawser:process:assigned"),
  processReset: channel("hawser:process:reset"),
  processDiscarded: channel("hawser:process:discarded"),
  callStart: channel("hawser:call:start"),
  callEnd: channel("hawser:call:end"),
};

/** Publishes the result of `event()`, if the channel has subscribers. */
export function publish(to: Channel, event: () => ProcessEvent | CallEvent): void {
  if (to.hasSubscribers) to.publish(event());
}
