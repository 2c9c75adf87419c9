/** A length of time for people: `850 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(`${minutes} min`, seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return joined(`${hours} h`, minutes % 60, "min");
  return `${Math.round(hours / 24)} days`;
}

/** The same in whole seconds, for a clock that ticks. */
export function elapsed(ms: number): string {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : duration(ms);
}

function joined(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`;
}

/** Money in US dollars, with enough digits for a small call. */
export function dollars(usd: number): string {
  if (usd === 0) return "$0.00";
  return usd < 0.1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** A number with commas between thousands. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** A number of tokens: `950`, `12.3k`, `1.2M`. */
export function tokens(value: number): string {
  if (value < 1000) return String(value);
  return value < 1_000_000 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

/** A size in bytes: `640 B`, `12 KB`, `3.4 MB`. */
export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  return value < 2 ** 20 ? `${Math.round(value / 1024)} KB` : `${(value / 2 ** 20).toFixed(1)} MB`;
}

/** The time of day, and the date if it is not today. */
export function clockTime(at: number, now: number = Date.now()): string {
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** A code such as `process_exited` as words. */
export function words(code: string): string {
  return code.replaceAll("_", " ");
}

/** `1 tool`, `2 tools`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}
