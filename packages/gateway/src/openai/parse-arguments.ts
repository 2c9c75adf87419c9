import { RequestError } from "../errors/request-error.js";
import { excessText, jsonExcess } from "../http/json-excess.js";

/** The input of a tool call. No arguments at all count as an empty object, because models write that. */
export function parseArguments(json: string, path: string): unknown {
  if (json.trim() === "") return {};
  const refuse = (why: string) =>
    new RequestError("invalid_request", `\`${path}\`: ${why}.`, { param: path });
  const excess = jsonExcess(json);
  if (excess !== undefined) throw refuse(`the JSON text ${excessText(excess)}`);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw refuse("not the JSON text of an object");
}
