// What the CLI prints when the API has failed and the CLI does not retry.
import { randomUUID } from "node:crypto";
import { current } from "./flags.mjs";
import { callHooks } from "./hooks.mjs";
import { assistantMessage, SYNTHETIC } from "./messages.mjs";
import { print } from "./output.mjs";
import { TurnEnd, turn } from "./turn.mjs";

const BAD_KEY = "invalid x-api-key";

/**
 * Ends the turn with an error of the API.
 * @param {number} status
 * @param {{ message?: string, resetsAt?: string | number }} about
 * @returns {Promise<never>}
 */
export async function failAtApi(status, { message, resetsAt }) {
  const limit = resetsAt === undefined ? undefined : limitOf(new Date(resetsAt));
  const { type, error, usual } = KINDS[status] ?? (status >= 500 ? SERVER : OTHER);
  const text = limit?.text ?? TEXTS[error](status, message ?? usual);
  const about = { api_error_status: status, api_error_type: type, ...limit?.about };
  turn.said = text;
  if (limit !== undefined) await print({ type: "rate_limit_event", rate_limit_info: limit.info });
  const line = assistantMessage(randomUUID(), { type: "text", text }, SYNTHETIC);
  await print({ ...line, error, is_api_error_message: true, ...about, ...limit?.details });
  const fields = { permission_mode: undefined, error, last_assistant_message: text };
  await callHooks("StopFailure", fields);
  throw new TurnEnd({ ...FAILED, result: text, ...about });
}

const FAILED = { is_error: true, stop_reason: "stop_sequence", terminal_reason: "api_error" };

/** For each status: the API's name of the error, the CLI's name, and the message of the simulated model. */
const KINDS = {
  400: { type: "invalid_request_error", error: "unknown", usual: "Simulated invalid request" },
  401: { type: "authentication_error", error: "authentication_failed", usual: BAD_KEY },
  403: {
    type: "permission_error",
    error: "authentication_failed",
    usual: "Simulated missing permission",
  },
  404: { type: "not_found_error", error: "model_not_found" },
  429: { type: "rate_limit_error", error: "rate_limit", usual: "Simulated rate limit" },
  529: { type: "overloaded_error", error: "server_error", usual: "Overloaded" },
};
const SERVER = { type: "api_error", error: "server_error", usual: "Internal server error" };
const OTHER = { type: "api_error", error: "unknown", usual: "Simulated error" };

const TEXTS = {
  authentication_failed: (status, message) =>
    message === BAD_KEY
      ? "Invalid API key · Fix external API key"
      : `Failed to authenticate. API Error: ${status} ${message}`,
  model_not_found: () =>
    `There's an issue with the selected model (${current.model}). It may not exist or you may not have access to it. Run --model to pick a different model.`,
  rate_limit: (status, message) => `API Error: Request rejected (${status}) · ${message}`,
  server_error: (status, message) =>
    `API Error: ${status} ${message}. This is a server-side issue, usually temporary — try again in a moment. If it persists, check ${statusPage()}.`,
  unknown: (status, message) => `API Error: ${status} ${message}`,
};

function statusPage() {
  const url = process.env.ANTHROPIC_BASE_URL;
  if (url === undefined) return "https://status.claude.com";
  return `your inference gateway (${URL.canParse(url) ? new URL(url).host : url})`;
}

/** What a subscriber sees when the limit of five hours is reached. */
function limitOf(resets) {
  const resetsAt = Math.floor(resets.getTime() / 1000);
  const info = { status: "rejected", resetsAt, rateLimitType: "five_hour", isUsingOverage: false };
  const five_hour = { utilization: 1, resetsAt, status: "rejected" };
  return {
    info: { ...info, unifiedWindows: { five_hour } },
    text: `You've hit your 5-hour limit · resets ${clock(resets)}`,
    about: { api_error: "usage_limit_reached" },
    details: { api_error_params: { rate_limit_info: info } },
  };
}

const DAY_MS = 86_400_000;

function clock(date) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const isFar = date.getTime() - Date.now() > DAY_MS;
  const isNextYear = date.getFullYear() !== new Date().getFullYear();
  const text = date.toLocaleString("en-US", {
    ...(isFar && { month: "short", day: "numeric", ...(isNextYear && { year: "numeric" }) }),
    hour: "numeric",
    ...(date.getMinutes() !== 0 && { minute: "2-digit" }),
  });
  return `${text.replace(/\s([AP]M)$/, (_, half) => half.toLowerCase())} (${timeZone})`;
}
