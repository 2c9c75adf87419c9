import { HawserError } from "../../base/index.js";

export function notStringError(caller: string): HawserError {
  return new HawserError("invalid_options", `${caller} takes a string.`, {
    hint: "Turn a Buffer into one with `.toString()`; what is undefined was never read.",
    issues: [{ path: "text", message: "must be a string" }],
  });
}
