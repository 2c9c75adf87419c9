import { RequestError } from "../errors/request-error.js";

/** The input of a tool call. No arguments at all count as an empty object, because models write that. */
export function parseArguments(json: string, path: string): unknown {
  if (json.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    value = undefined;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new RequestError("invalid_request", `\`${path}\`: not the JSON text of an object.`, {
    param: path,
  });
}
