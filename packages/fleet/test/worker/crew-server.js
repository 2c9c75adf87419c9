// An MCP server over stdio with one tool. It adds a line to the file in CREW_TRACE for each call.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const send = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") {
      const serverInfo = { name: "crew", version: "1.0.0" };
      const { protocolVersion } = params;
      send(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
    } else if (method === "tools/list") {
      const inputSchema = { type: "object", properties: {} };
      const meta = { "anthropic/alwaysLoad": true };
      const roster = { name: "roster", description: "Who is on watch.", inputSchema, _meta: meta };
      send(id, { tools: [roster] });
    } else if (method === "tools/call") {
      appendFileSync(process.env.CREW_TRACE ?? "", "ran\n");
      send(id, { content: [{ type: "text", text: "Ada" }] });
    }
  })
  .on("close", () => process.exit(0));
