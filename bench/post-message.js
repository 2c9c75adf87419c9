import { once } from "node:events";
import { Agent, request } from "node:http";
import { BODY } from "./hosts/gateways.js";

/** Clients keep their connections. */
const agent = new Agent({ keepAlive: true });

/**
 * Sends a request to a server that speaks the Messages API. Returns the milliseconds until the first byte of the
 * answer's body and until its end, and the text of the answer.
 */
export async function postMessage(port, isStreamed) {
  const sentAt = performance.now();
  const sent = request({
    ...{ host: "127.0.0.1", port, agent, path: "/v1/messages", method: "POST" },
    headers: { "content-type": "application/json" },
  });
  sent.end(JSON.stringify({ ...BODY, stream: isStreamed }));
  const [response] = await once(sent, "response");
  let firstMs;
  let body = "";
  response.setEncoding("utf8");
  for await (const piece of response) {
    firstMs ??= performance.now() - sentAt;
    body += piece;
  }
  const wholeMs = performance.now() - sentAt;
  if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${body}`);
  return { firstMs, wholeMs, text: isStreamed ? textInEvents(body) : textIn(JSON.parse(body)) };
}

function textIn({ content }) {
  return content.map(({ text = "" }) => text).join("");
}

function textInEvents(body) {
  if (!body.includes("event: message_stop")) throw new Error(`The stream has no end: ${body}`);
  const events = [...body.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data));
  return events.map(({ delta }) => delta?.text ?? "").join("");
}
