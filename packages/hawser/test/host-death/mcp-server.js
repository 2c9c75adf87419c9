// The smallest MCP server over stdio that the CLI accepts. It does not exit at the end of its input, as
// many real servers do not.
import { createInterface } from "node:readline";

const send = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "stays", version: "1.0.0" };
    send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === "tools/list") send(id, { tools: [] });
});
process.stdout.on("error", () => {});
setInterval(() => {}, 60_000);
