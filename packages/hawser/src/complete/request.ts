import type { Options } from "../options/index.js";
import type { LeaseRequest } from "../session/index.js";
import { type Plan, planCall } from "./plan.js";
import { prepareStructuredOutput } from "./structured-output.js";

/** What a call with these options will ask its source for. Throws at once what is wrong with them. */
export function requestOf(caller: string, options: Options): Promise<LeaseRequest> {
  return requestFor(planCall(caller, ANY_PROMPT, options));
}

const ANY_PROMPT = "?";

async function requestFor({ options, schema, timeouts, showsEvents }: Plan): Promise<LeaseRequest> {
  const value = schema && (await prepareStructuredOutput(schema));
  return { purpose: "call", options: { ...options, ...value?.options }, timeouts, showsEvents };
}
