// An assistant that remembers its conversation between runs. Shows `ClaudeCodeProvider`, which has
// the interface of an earlier system called Omega (see docs/source-systems.md).
//
//   node omega-assistant.js "Remember that the mooring is worn."
//   node omega-assistant.js "What did I say of the mooring?"
//
// The conversation is stored in assistant.json. Short questions go to a small model. An MCP server
// keeps notes: it is this same file, started as another process.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { isHawserError } from "hawser";
import { ClaudeCodeProvider, toOmegaError } from "hawser/providers";

const STATE = "assistant.json";
const NOTES = "notes.txt";

if (process.argv[2] === "--notes") await serveNotes();
else await answer(process.argv.slice(2).join(" "));

/** @param {string} currentMessage */
async function answer(currentMessage) {
  /** @type {{ sessionId?: string, history: import("hawser/providers").HistoryEntry[] }} */
  const state = existsSync(STATE) ? JSON.parse(readFileSync(STATE, "utf8")) : { history: [] };
  const provider = new ClaudeCodeProvider({
    allowedTools: ["Read", "Grep"],
    maxTurns: 10,
    maxResumeAttempts: 3,
    timeoutMs: 600_000,
    requireMcp: true,
  });
  /** @type {import("hawser/providers").Context} */
  const context = {
    systemPrompt: "You are the harbour master's assistant. Be brief. Keep facts as notes.",
    history: state.history,
    currentMessage,
    model: currentMessage.length < 200 ? "haiku" : "sonnet",
    mcpServers: [
      {
        name: "notes",
        command: process.execPath,
        args: [fileURLToPath(import.meta.url), "--notes"],
      },
    ],
  };
  try {
    const { text, metadata } = await goOn(provider, context, state.sessionId);
    console.log(text);
    const history = [...state.history, { role: "user", content: currentMessage }];
    history.push({ role: "assistant", content: text });
    writeFileSync(STATE, JSON.stringify({ sessionId: metadata.sessionId, history }, null, 2));
  } catch (error) {
    console.error(toOmegaError(error).message);
    if (isHawserError(error)) console.error(error.hint);
    process.exitCode = 1;
  }
}

/**
 * Continues the session. If the CLI no longer has the session, the stored history is sent instead.
 * @param {ClaudeCodeProvider} provider
 * @param {import("hawser/providers").Context} context
 * @param {string | undefined} sessionId
 */
async function goOn(provider, context, sessionId) {
  try {
    return await provider.complete({ ...context, sessionId });
  } catch (error) {
    if (!isHawserError(error, "session_not_found")) throw error;
    return await provider.complete(context);
  }
}

/** A minimal MCP server on stdin and stdout. The MCP SDK makes this shorter and can do more. */
async function serveNotes() {
  const input = { type: "object", properties: { note: { type: "string" } }, required: ["note"] };
  const keep = { name: "keep", description: "Keeps a note.", inputSchema: input };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) continue;
    if (method === "tools/call") appendFileSync(NOTES, `${params.arguments.note}\n`);
    const { protocolVersion } = params ?? {};
    const serverInfo = { name: "notes", version: "1.0.0" };
    const result =
      method === "initialize"
        ? { protocolVersion, capabilities: { tools: {} }, serverInfo }
        : { tools: [keep], content: [{ type: "text", text: "kept" }] };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }
}
