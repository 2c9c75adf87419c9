// Tools that run inside your program: the model reads and changes an order book. Shows `tool()` and
// hooks.
//
//   node own-tools.js "Where is order 1002? If it has not left yet, cancel it."
//
// One hook writes each call to audit.jsonl before it runs, and other hooks write it again after it
// ran.
import { appendFileSync } from "node:fs";
import { createSdkMcpServer, ERROR_CODES, isHawserError, stream, tool } from "hawser";

/** @type {Map<string, { what: string, state: "open" | "shipped" | "cancelled" }>} */
const orders = new Map([
  ["1001", { what: "hawser, 60 m", state: "shipped" }],
  ["1002", { what: "shackle, 12 pieces", state: "open" }],
]);

const BY_ID = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

const find = tool(
  "find_order",
  "Gives an order by its number.",
  BY_ID,
  async ({ id }) => said(JSON.stringify(orders.get(String(id)) ?? "There is no such order.")),
  { annotations: { readOnlyHint: true } },
);

const cancel = tool("cancel_order", "Cancels an order that is open.", BY_ID, async ({ id }) => {
  const order = orders.get(String(id));
  // Business rules are checked here and not in the prompt, so that the model cannot break them.
  if (order?.state !== "open")
    return { ...said("Only an open order is cancelled."), isError: true };
  order.state = "cancelled";
  return said(`Order ${id} is cancelled.`);
});

/** @type {import("hawser").HookCallback<"PreToolUse" | "PostToolUse" | "PostToolUseFailure">} */
const audit = async (input) => {
  const { hook_event_name: event, tool_name: name, tool_input } = input;
  const entry = { at: new Date().toISOString(), event, name, input: tool_input };
  appendFileSync("audit.jsonl", `${JSON.stringify(entry)}\n`);
  return {};
};

try {
  const call = stream(process.argv[2] ?? "Which orders are still open: 1001, 1002?", {
    systemPrompt: "You serve the customers of a ship chandler. Be brief and exact.",
    mcpServers: {
      orders: createSdkMcpServer({ name: "orders", tools: [find, cancel], alwaysLoad: true }),
    },
    allowedTools: ["mcp__orders__*"],
    // A PreToolUse hook that throws refuses the call, so no call runs without an audit entry.
    hooks: {
      PreToolUse: [{ hooks: [audit] }],
      PostToolUse: [{ hooks: [audit] }],
      PostToolUseFailure: [{ hooks: [audit] }],
    },
  });
  for await (const piece of call.textStream) process.stdout.write(piece);
  process.stdout.write("\n");
  await call.completion;
  for (const [id, { what, state }] of orders) console.log(`${id}  ${state.padEnd(9)}  ${what}`);
} catch (error) {
  if (!isHawserError(error)) throw error;
  console.error(`${error.code}: ${error.message}\n${error.hint}`);
  process.exitCode = ERROR_CODES[error.code].exitCode;
}

/**
 * @param {string} text
 * @returns {import("hawser").CallToolResult}
 */
function said(text) {
  return { content: [{ type: "text", text }] };
}
