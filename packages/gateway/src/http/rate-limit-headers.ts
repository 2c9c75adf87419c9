import type { RateLimits } from "../tenants/tenant.js";

/** The limits in the headers of both APIs. A limit that does not apply has no headers. */
export function rateLimitHeaders(limits: RateLimits, now: number): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ["requests", "tokens"] as const) {
    const state = limits[name];
    if (state === undefined) continue;
    const { limit, remaining, resetsAt } = state;
    headers[`anthropic-ratelimit-${name}-limit`] = String(limit);
    headers[`anthropic-ratelimit-${name}-remaining`] = String(remaining);
    headers[`anthropic-ratelimit-${name}-reset`] = rfc3339(resetsAt);
    headers[`x-ratelimit-limit-${name}`] = String(limit);
    headers[`x-ratelimit-remaining-${name}`] = String(remaining);
    headers[`x-ratelimit-reset-${name}`] = duration(resetsAt - now);
  }
  return headers;
}

/** In whole seconds, rounded up. */
function rfc3339(ms: number): string {
  return new Date(Math.ceil(ms / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

/** As the OpenAI API writes it: `120ms`, `6s`, `1m30s`. */
function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const seconds = Math.ceil(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}
