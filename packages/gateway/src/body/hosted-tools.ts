import { RequestError } from "../errors/request-error.js";
import type { IgnoredParameters } from "./ignored-parameters.js";

/**
 * What happens to a hosted tool, which the servers of Anthropic or OpenAI run or define: the request is refused, or
 * the tool is left out and named to the client.
 */
export type HostedTools = "refuse" | "ignore";

/** Refuses a hosted tool, or names it as left out. `name` is the tool as the client knows it. */
export function leaveOutHostedTool(
  hostedTools: HostedTools,
  name: string,
  path: string,
  ignored: IgnoredParameters,
): void {
  if (hostedTools === "ignore") {
    ignored.add(path, `${name} left out`);
    return;
  }
  const message = `\`${path}\`: the gateway has no hosted tool ${name}. Leave it out, define a tool of your own and run it in the client, or set \`hostedTools: "ignore"\` in the gateway's configuration.`;
  throw new RequestError("invalid_request", message, { param: path });
}
