import { isHawserError } from "hawser";
import { RequestError } from "../errors/request-error.js";

/**
 * The error for the client. An option that `hawser` refuses is a bad request if it comes from the client; the
 * error then names the parameter in the client's terms.
 */
export function asRequestError(error: unknown): unknown {
  if (!isHawserError(error, "invalid_options")) return error;
  const issue = error.issues?.find(({ path = "" }) => PARAMETERS.has(rootOf(path)));
  if (issue?.path === undefined) return error;
  const param = inClientTerms(issue.path);
  const message = `${param}: ${inClientTerms(issue.message)}. ${inClientTerms(error.hint)}`;
  return new RequestError("invalid_request", message.trim(), { param, cause: error });
}

function rootOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? "";
}

/** The options that hold what the client sent, by the names of its parameters. */
const PARAMETERS: ReadonlyMap<string, string> = new Map([
  ["history", "messages"],
  ["prompt", "messages"],
  ["clientTools", "tools"],
  ["toolChoice", "tool_choice"],
  ["systemPrompt", "system"],
  ["schema", "schema"],
  ["effort", "effort"],
  ["thinking", "thinking"],
]);

function inClientTerms(text: string): string {
  return text.replace(/\b[a-zA-Z]+\b/g, (word) => PARAMETERS.get(word) ?? word);
}
