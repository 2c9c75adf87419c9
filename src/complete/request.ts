import type { Options } from "../options/index.js";
import type { LeaseRequest } from "../session/index.js";
import { planOf } from "./plan.js";
import { owedValue } from "./value.js";

/** What a call with these options will ask its source for. */
export async function requestOf(caller: string, options: Options): Promise<LeaseRequest> {
  const { schema, timeouts, showsEvents, ...plan } = planOf(caller, ANY_PROMPT, options);
  const value = schema && (await owedValue(schema));
  const wanted = { ...plan.options, ...value?.options };
  return { purpose: "call", options: wanted, timeouts, showsEvents };
}

const ANY_PROMPT = "?";
