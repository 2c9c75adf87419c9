import { onTestFinished } from "vitest";
import { CHANNELS, type EventChannel, type EventChannels } from "../../src/base/index.js";

export type ChannelKey = keyof EventChannels;

/** One published event and the name of its channel in `CHANNELS`. */
export interface Seen {
  readonly channel: ChannelKey;
  readonly event: Readonly<Record<string, unknown>>;
}

/** Everything that is published until the test is over, in order. The many messages are left out. */
export function watchEvents(
  channels: readonly ChannelKey[] = ALL.filter((channel) => channel !== "sessionMessages"),
): Seen[] {
  const seen: Seen[] = [];
  for (const channel of channels) {
    const on = CHANNELS[channel] as EventChannel<never>;
    const listen = (event: unknown) => {
      seen.push({ channel, event: event as Seen["event"] });
    };
    on.subscribe(listen);
    onTestFinished(() => on.unsubscribe(listen));
  }
  return seen;
}

const ALL = Object.keys(CHANNELS) as ChannelKey[];

/** The events of one channel. */
export function eventsOf(seen: readonly Seen[], channel: ChannelKey): Seen["event"][] {
  return seen.filter((each) => each.channel === channel).map(({ event }) => event);
}

/** The channels that begin something, those that end it, and the ids by which they belong together. */
const PAIRS: readonly {
  readonly start: ChannelKey;
  readonly ends: readonly ChannelKey[];
  readonly ids: readonly string[];
}[] = [
  { start: "callStart", ends: ["callEnd"], ids: ["call"] },
  { start: "sessionStart", ends: ["sessionEnd"], ids: ["session"] },
  { start: "turnStart", ends: ["turnEnd"], ids: ["session", "turn"] },
  { start: "roundStart", ends: ["roundEnd"], ids: ["session", "round"] },
  { start: "toolStart", ends: ["toolEnd"], ids: ["session", "toolUseId"] },
  { start: "permissionAsked", ends: ["permissionDecided"], ids: ["session", "request"] },
  {
    start: "admissionQueued",
    ends: ["admissionAdmitted", "admissionRefused"],
    ids: ["pool", "admission"],
  },
  { start: "processStart", ends: ["processDiscarded"], ids: ["pool", "worker"] },
];

/** Every start without exactly one end after it, and every end without a start, as text. */
export function unpaired(seen: readonly Seen[]): string[] {
  return PAIRS.flatMap(({ start, ends, ids }) => {
    const open = new Map<string, number>();
    const faults: string[] = [];
    for (const { channel, event } of seen) {
      const key = ids.map((id) => String(event[id])).join("/");
      if (channel === start) {
        if (open.get(key) === 0) faults.push(`${start} ${key} twice`);
        open.set(key, 0);
      } else if (ends.includes(channel) && event[ids.at(-1) ?? ""] !== undefined) {
        const count = open.get(key);
        // A request that is admitted at once was never queued, and a start may fail before its process.
        const mayBeAlone = start === "admissionQueued" || start === "processStart";
        if (count === undefined && !mayBeAlone) faults.push(`${channel} ${key} without a start`);
        if (count !== undefined && count > 0) faults.push(`${channel} ${key} twice`);
        if (count !== undefined) open.set(key, count + 1);
      }
    }
    for (const [key, count] of open) if (count === 0) faults.push(`${start} ${key} without an end`);
    return faults;
  });
}
