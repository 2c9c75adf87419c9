// An MCP server whose tool `ask` asks the user with the form of ELICITATION_SCHEMA, and returns what the user entered.
import { createInterface } from "node:readline";

const requestedSchema = JSON.parse(process.env.ELICITATION_SCHEMA ?? "{}");
const tools = [
  { name: "ask", inputSchema: { type: "object" }, _meta: { "anthropic/alwaysLoad": true } },
];
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
let asking;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "harbour", version: "1.0.0" };
    const { protocolVersion } = params;
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call") {
    asking = id;
    const message = "Which berth?";
    send({ id: "question", method: "elicitation/create", params: { message, requestedSchema } });
  } else if (id === "question") {
    send({ id: asking, result: { content: [{ type: "text", text: JSON.stringify(result) }] } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
}
