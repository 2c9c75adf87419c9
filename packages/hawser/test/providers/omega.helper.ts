import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import {
  ClaudeCodeProvider,
  type ClaudeCodeProviderOptions,
  type Context,
  type ContextMcpServer,
} from "../../src/providers/index.js";
import { fakeCli, type ReplyScript, type Step } from "../../src/testing/index.js";
import { type World, world } from "../support/world.js";

export interface Place extends World {
  readonly provider: ClaudeCodeProvider;
}

/** A provider on a real CLI, in a world of its own. */
export async function place(
  path: string,
  replies: ReplyScript,
  options: ClaudeCodeProviderOptions = {},
  env: Parameters<typeof world>[2] = {},
): Promise<Place> {
  const own = await world(path, replies, env);
  const { cliPath, cwd, env: variables, inheritEnv } = own.options;
  const inside = { cliPath, workingDir: cwd, env: variables, inheritEnv };
  return { ...own, provider: new ClaudeCodeProvider({ ...inside, ...options }) };
}

/** A provider on a fake CLI. */
export async function onFake(
  steps: readonly Step[],
  options: ClaudeCodeProviderOptions = {},
): Promise<ClaudeCodeProvider> {
  const cli = await fakeCli({ steps });
  onTestFinished(() => cli.dispose());
  return new ClaudeCodeProvider({ cliPath: cli.path, closeGraceMs: 500, ...options });
}

export function context(more: Partial<Context> = {}): Context {
  return { systemPrompt: "", history: [], currentMessage: "Hello.", ...more };
}

export async function failureOf(answer: Promise<unknown>): Promise<HawserError> {
  return answer.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: HawserError) => error,
  );
}

const SERVER = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const say = { name: "say", description: "Says.", inputSchema: { type: "object", properties: {} } };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "tiny", version: "1.0.0" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [{ ...say, _meta: { "anthropic/alwaysLoad": true } }] } });
  } else if (method === "tools/call") {
    const words = ["said by", process.argv[2], process.env.GREETING ?? ""].join(" ");
    send({ id, result: { content: [{ type: "text", text: words }] } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
}
`;

/** A small MCP server that says its name. */
export function tinyServer(folder: string, name: string): ContextMcpServer {
  const path = join(folder, "server.mjs");
  writeFileSync(path, SERVER);
  return { name, command: process.execPath, args: [path, name] };
}
