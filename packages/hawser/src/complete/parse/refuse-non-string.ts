import { HawserError } from "../../base/index.js";

/** Throws `invalid_options` if a caller without a compiler passes another type. */
export function refuseNonString(caller: string, text: unknown): void {
  if (typeof text === "string") return;
  throw new HawserError("invalid_options", `${caller} takes a string.`, {
    hint: "Convert a Buffer with `.toString()`. If the value is undefined, the output was never read.",
    issues: [{ path: "text", message: "must be a string" }],
  });
}
