// Code as people write it against the official package, which a test puts in the place of ours here.

import { z } from "zod";
import {
  AbortError,
  type CanUseTool,
  createSdkMcpServer,
  HOOK_EVENTS,
  type HookCallback,
  type McpServerConfig,
  type Options,
  type PermissionResult,
  type Query,
  query,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
  tool,
} from "../../src/index.js";

const canUseTool: CanUseTool = async (name, input, { signal, suggestions }) => {
  if (signal.aborted) return { behavior: "deny", message: "too late", interrupt: true };
  const allowed: PermissionResult = { behavior: "allow", updatedInput: input };
  return name === "Bash" && suggestions ? { ...allowed, updatedPermissions: suggestions } : allowed;
};

const guard: HookCallback = async (input) => {
  if (input.hook_event_name !== "PreToolUse") return { continue: true };
  const name: string = input.tool_name;
  return { systemMessage: name };
};

const add = tool(
  "add",
  "Adds.",
  { a: z.number(), b: z.number().optional() },
  async ({ a, b }, _extra) => {
    const sum: number = a + (b ?? 0);
    // @ts-expect-error: the schema says that it may be absent
    const wrong: number = b;
    return { content: [{ type: "text", text: `${sum}${wrong}` }] };
  },
  { annotations: { readOnlyHint: true } },
);

const mcpServers: Record<string, McpServerConfig> = {
  calc: createSdkMcpServer({ name: "calc", version: "1.0.0", tools: [add] }),
  files: { command: "files", args: ["--stdio"], env: { A: "b" } },
  web: { type: "http", url: "https://example.com/mcp", headers: { a: "b" } },
};

export const options: Options = {
  abortController: new AbortController(),
  canUseTool,
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [guard] }] },
  mcpServers,
  model: "sonnet",
  permissionMode: "acceptEdits",
  systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief." },
  settingSources: ["project"],
  stderr: (data) => console.error(data.trim()),
};

// @ts-expect-error: there is no such mode
export const wrong: Options = { permissionMode: "anything" };

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield {
    type: "user",
    message: { role: "user", content: [{ type: "text", text: "hi" }] },
    parent_tool_use_id: null,
    session_id: "",
  };
}

function textOf({ message }: SDKAssistantMessage): string {
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function outcomeOf(result: SDKResultMessage): string {
  return result.subtype === "success" ? result.result : result.errors.join(", ");
}

function lineOf(message: SDKMessage): string | undefined {
  switch (message.type) {
    case "assistant":
      return textOf(message);
    case "result":
      return `${outcomeOf(message)} ${message.total_cost_usd.toFixed(2)} ${message.usage.output_tokens}`;
    case "system":
      return message.subtype === "init" ? message.tools.join(" ") : undefined;
    case "stream_event":
      return message.event.type;
    default:
      return undefined;
  }
}

export async function main(): Promise<void> {
  const q: Query = query({ prompt: prompts(), options });
  try {
    for await (const message of q) {
      const line: string | undefined = lineOf(message);
      if (line !== undefined) console.log(line, HOOK_EVENTS.length);
    }
    await q.setPermissionMode("default");
    const models = await q.supportedModels();
    const names: string[] = models.map(({ value, displayName }) => `${value} ${displayName}`);
    const { added, errors } = await q.setMcpServers(mcpServers);
    console.log(names, added.length, errors["calc"]);
    await q.interrupt();
  } catch (error) {
    if (!(error instanceof AbortError)) throw error;
  }
}
