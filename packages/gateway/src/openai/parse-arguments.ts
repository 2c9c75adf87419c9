import { RequestError } from "../errors/request-error.js";
import { isDeeperThan, MAX_DEPTH } from "../http/is-deeper-than.js";

/** The input of a tool call. No arguments at all count as an empty object, because models write that. */
export function parseArguments(json: string, path: string): unknown {
  if (json.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject && !isDeeperThan(value, MAX_DEPTH)) return value;
  const why = isObject
    ? `nested deeper than ${MAX_DEPTH} levels`
    : "not the JSON text of an object";
  throw new RequestError("invalid_request", `\`${path}\`: ${why}.`, { param: path });
}
