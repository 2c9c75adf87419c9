export {
  ClaudeCliProvider,
  type ClaudeCliProviderOptions,
  type CompletionConfig,
  type MagiProvider,
} from "./magi/claude-cli-provider.js";
export { type MagiError, toMagiError } from "./magi/magi-error.js";
export { CLAUDE_CLI_MODEL_ALIASES } from "./magi/model-aliases.js";
export type { ClaudeCodeConfig } from "./omega/claude-code-config.js";
export type { ClaudeCodePreset, ClaudeCodeProviderOptions } from "./omega/claude-code-options.js";
export { ClaudeCodeProvider, type OmegaProvider } from "./omega/claude-code-provider.js";
export {
  type Context,
  type ContextMcpServer,
  contextToPrompt,
  type HistoryEntry,
} from "./omega/context.js";
export { type OmegaError, toOmegaError } from "./omega/omega-error.js";
export type { MessageMetadata, OutgoingMessage } from "./omega/outgoing-message.js";
export { mcpToolPatterns } from "./omega/tool-options.js";
