import { objectOf } from "../../base/index.js";
import type { ReplyInput } from "./reply.js";
import { blocksOf, textOf } from "./request-body.js";

/**
 * The purposes of requests that the CLI makes on its own, outside the conversation:
 * - `title`: names the session (2.1.197, after `initialize`, unless nonessential traffic is off)
 * - `suggestion`: guesses the next prompt (only when the host asked for `promptSuggestions`)
 * - `agent_summary`: says what a sub-agent is doing (only with `agentProgressSummaries`)
 * - `probe`: asks for one token, to check whether a model or a quota is available
 */
export type AuxiliaryKind = "title" | "suggestion" | "agent_summary" | "probe";

/**
 * The kind of an auxiliary request. No field names its purpose, so its text decides. Requests that the
 * script or the host itself causes (a sub-agent, /compact, a side question, the summary of a fetched
 * page) are part of the conversation and have no kind.
 */
export function auxiliaryKind(body: Readonly<Record<string, unknown>>): AuxiliaryKind | undefined {
  if (body["max_tokens"] === 1) return "probe";
  const last = textOf(blocksOf(body["messages"]).at(-1)?.["content"]);
  if (last.startsWith("[SUGGESTION MODE:")) return "suggestion";
  if (/^Describe your most recent action in 3-5 words/m.test(last)) return "agent_summary";
  if (asksForTitle(body)) return "title";
  return undefined;
}

export const AUXILIARY_REPLIES: Readonly<Record<AuxiliaryKind, ReplyInput>> = {
  title: JSON.stringify({ title: "Simulated session" }),
  suggestion: "",
  agent_summary: "Working on it",
  probe: "ok",
};

function asksForTitle(body: Readonly<Record<string, unknown>>): boolean {
  const format = objectOf(objectOf(body["output_config"])["format"]);
  const properties = Object.keys(objectOf(objectOf(format["schema"])["properties"]));
  const titleOnly = properties.length === 1 && properties[0] === "title";
  return titleOnly && /\btitle\b/.test(textOf(body["system"]));
}
