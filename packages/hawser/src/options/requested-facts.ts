import type { RequestedFacts } from "../base/index.js";
import type { Options } from "./options.js";

/** What the events of a call or a session say about its options. */
export function requestedFacts(options: Options | undefined): RequestedFacts {
  const { model, agent, systemPrompt, schema, outputFormat } = options ?? {};
  const isJson = schema !== undefined || outputFormat !== undefined;
  return { model, agent, systemPrompt, output: isJson ? "json" : "text" };
}
