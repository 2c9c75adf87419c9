import { isDeepStrictEqual } from "node:util";
import { RequestError } from "../errors/request-error.js";
import type { IgnoredParameters } from "./ignored-parameters.js";

/**
 * What the gateway does with a parameter of the request: it is translated (`mapped`), it has no effect and is named
 * to the client (`ignored`), or the request is refused (`refused`), because the answer would not be what the client
 * asks for. A value in `harmless` asks for what the gateway does anyway.
 */
export type Parameter =
  | { readonly use: "mapped" }
  | { readonly use: "ignored"; readonly harmless?: readonly unknown[] }
  | { readonly use: "refused"; readonly harmless?: readonly unknown[]; readonly reason: string };

/** The parameters of an endpoint by name. */
export type ParameterTable = Readonly<Record<string, Parameter>>;

export const MAPPED: Parameter = { use: "mapped" };

export function ignoredUnless(...harmless: readonly unknown[]): Parameter {
  return { use: "ignored", harmless };
}

export function refused(reason: string, ...harmless: readonly unknown[]): Parameter {
  return { use: "refused", harmless, reason };
}

/**
 * Refuses a request with a parameter that the gateway cannot fulfil, and collects the parameters without effect.
 * A parameter that the table does not know is one of them. `null` means that a parameter is not set.
 */
export function applyParameterTable(
  body: Readonly<Record<string, unknown>>,
  table: ParameterTable,
  ignored: IgnoredParameters,
): void {
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined || value === null) continue;
    const parameter = Object.hasOwn(table, name) ? table[name] : undefined;
    if (parameter === undefined) ignored.add(name);
    else if (parameter.use === "mapped" || isHarmless(value, parameter.harmless)) continue;
    else if (parameter.use === "ignored") ignored.add(name);
    else
      throw new RequestError("invalid_request", `\`${name}\`: ${parameter.reason}`, {
        param: name,
      });
  }
}

/** Without `JSON.stringify()`, which fails on a value of a client that is nested very deeply. */
function isHarmless(value: unknown, harmless: readonly unknown[] = []): boolean {
  return harmless.some((one) => isDeepStrictEqual(one, value));
}
