import { type Channel, channel } from "node:diagnostics_channel";

/** What a process of a pool is told by, and of; `reason` says why it was let go. */
export interface ProcessEvent {
  readonly pool: number;
  readonly worker: number;
  readonly pid: number | undefined;
  readonly reason?: string;
  /** How the one who is served got it. */
  readonly how?: string;
  readonly jobs?: number;
  readonly ms?: number;
}

export interface CallEvent {
  /** The same at the start and the end of a call. */
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

/** For metrics and traces, by `node:diagnostics_channel`. They cost nothing while nobody listens. */
export const CHANNELS: Readonly<Record<ChannelName, Channel>> = {
  processStart: channel("hawser:process:start"),
  processReady: channel("hawser:process:ready"),
  processAssigned: channel("hawser:process:assigned"),
  processReset: channel("hawser:process:reset"),
  processDiscarded: channel("hawser:process:discarded"),
  callStart: channel("hawser:call:start"),
  callEnd: channel("hawser:call:end"),
};

/** Publishes what `event` gives, if anybody listens. */
export function publish(to: Channel, event: () => ProcessEvent | CallEvent): void {
  if (to.hasSubscribers) to.publish(event());
}
