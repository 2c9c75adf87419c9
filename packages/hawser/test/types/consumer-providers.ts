// Code of a program that moves over from MAGI or Omega, with its own interfaces and a gateway.
import {
  ClaudeCliProvider,
  type ClaudeCodeConfig,
  ClaudeCodeProvider,
  type CompletionConfig,
  type Context,
  type MagiProvider,
  type OmegaProvider,
  type OutgoingMessage,
} from "../../src/providers/index.js";

interface LlmProvider {
  readonly name: string;
  readonly model: string;
  complete(system: string, user: string, config: CompletionConfig): Promise<string>;
}

interface Provider {
  readonly name: string;
  readonly requiresApiKey: boolean;
  complete(context: Context): Promise<OutgoingMessage>;
  isAvailable(): Promise<boolean>;
}

export const reviewer: LlmProvider = new ClaudeCliProvider("sonnet");
export const provider: Provider = new ClaudeCodeProvider();
export const council: readonly MagiProvider[] = [
  new ClaudeCliProvider("opus"),
  { name: "fixed", model: "none", complete: async () => "APPROVE" },
];

export async function answer(by: OmegaProvider, chat: string): Promise<OutgoingMessage> {
  const message = await by.complete({ systemPrompt: "", history: [], currentMessage: "Hello." });
  return { ...message, replyTarget: chat };
}

export async function deliver(by: OmegaProvider, chat: string): Promise<OutgoingMessage> {
  const message = await by.complete({ systemPrompt: "", history: [], currentMessage: "Hello." });
  message.replyTarget = chat;
  const { turns, resumes, texts } = message.metadata;
  console.log(`${turns ?? "?"} turns, ${resumes} resumes, ${texts.length} texts`);
  return message;
}

const section: ClaudeCodeConfig = { timeout_secs: 1800, max_resume_attempts: 5 };
ClaudeCodeProvider.fromConfig(section);
ClaudeCodeProvider.fromConfig(section, { tools: [] });
ClaudeCodeProvider.fromConfig(20, ["Bash", "Read"], 3600, "/workspace", 5, "claude-sonnet-4-6");
// @ts-expect-error: the configuration has keys in snake_case.
ClaudeCodeProvider.fromConfig({ timeoutMs: 1 });
// @ts-expect-error: the constructor has names in camelCase.
new ClaudeCodeProvider({ max_turns: 1 });
