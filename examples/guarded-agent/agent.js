// An agent that takes notes by itself and asks a person before every other tool call. Shows
// `canUseTool`.
//
//   node --test     runs agent.test.js, without an account
import { createSdkMcpServer, openSession, tool } from "hawser";

const LINE = { type: "object", properties: { line: { type: "string" } }, required: ["line"] };

/**
 * @param {string} task
 * @param {(tool: string, input: Record<string, unknown>) => Promise<boolean>} approve
 * @param {import("hawser").SessionOptions} [options] Options of the session.
 */
export async function assist(task, approve, options) {
  /** @type {string[]} */
  const notes = [];
  const note = tool("note", "Keeps a line for later.", LINE, async ({ line }) => {
    notes.push(String(line));
    return { content: [{ type: "text", text: "kept" }] };
  });
  const session = await openSession({
    ...options,
    mcpServers: { desk: createSdkMcpServer({ name: "desk", tools: [note], alwaysLoad: true }) },
    allowedTools: ["mcp__desk__note"],
    canUseTool: async (name, input) =>
      (await approve(name, input))
        ? { behavior: "allow", updatedInput: input }
        : { behavior: "deny", message: "The person said no." },
  });
  try {
    const turn = session.send(task);
    const text = await turn.text();
    const { permission_denials } = await turn.result;
    return { text, notes, refused: permission_denials.map(({ tool_name }) => tool_name) };
  } finally {
    await session.close();
  }
}
