import { objectOf, type RequestedFacts } from "../base/index.js";
import type { Options } from "./options.js";

/** What the events of a call or a session say about its options. */
export function requestedFacts(options: Options | undefined): RequestedFacts {
  const { model, agent, systemPrompt, schema, outputFormat, clientTools } = options ?? {};
  const isJson = schema !== undefined || outputFormat !== undefined;
  return {
    ...{ model, agent, systemPrompt, output: isJson ? "json" : "text" },
    ...(clientTools === undefined ? {} : { clientTools: namesIn(clientTools) }),
  };
}

/** A call is published before its options are checked, so they can be anything. */
function namesIn(tools: unknown): readonly string[] {
  const names = Array.isArray(tools) ? tools.map((tool) => objectOf(tool)["name"]) : [];
  return names.filter((name) => typeof name === "string");
}
