export {
  ClaudeCliProvider,
  type ClaudeCliProviderOptions,
  type CompletionConfig,
  type MagiProvider,
} from "./claude-cli-provider.js";
export type { ClaudeCodeConfig } from "./claude-code-config.js";
export type { ClaudeCodePreset, ClaudeCodeProviderOptions } from "./claude-code-options.js";
export { ClaudeCodeProvider, type OmegaProvider } from "./claude-code-provider.js";
export { type MagiError, toMagiError } from "./magi-error.js";
export { CLAUDE_CLI_MODEL_ALIASES } from "./model-aliases.js";
export {
  type Context,
  type ContextMcpServer,
  contextToPrompt,
  type HistoryEntry,
} from "./omega-context.js";
export { type OmegaError, toOmegaError } from "./omega-error.js";
export type { MessageMetadata, OutgoingMessage } from "./omega-message.js";
export { mcpToolPatterns } from "./omega-tools.js";
