export {
  type CliOutput,
  type CompleteOptions,
  type Completion,
  type CompletionStream,
  complete,
  extractJson,
  parseCliOutput,
  stream,
  type Timing,
} from "./complete/index.js";
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorFacts,
  type ErrorRow,
  HawserError,
  type Issue,
  isHawserError,
  type Logger,
  type Phase,
} from "./errors/index.js";
export type * from "./mcp/index.js";
export { createSdkMcpServer, tool } from "./mcp/index.js";
export type * from "./options/index.js";
export { buildInvocation, HOOK_EVENTS, SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from "./options/index.js";
export {
  createPool,
  type Isolation,
  type Percentiles,
  type Pool,
  type PoolBudget,
  type PoolOptions,
  type PoolStats,
} from "./pool/index.js";
export {
  type CliLocation,
  type CliReport,
  type CliSource,
  type CredentialHint,
  checkCli,
  type Exit,
  endOrphans,
  explain,
  findOrphans,
  type LocateOptions,
  locateCli,
  type OrphanFilter,
  type OrphanProcess,
  type Orphans,
  type ProcessInfo,
  processes,
  shutdown,
} from "./process/index.js";
export {
  CLAUDE_CLI_MODEL_ALIASES,
  ClaudeCliProvider,
  type ClaudeCliProviderOptions,
  type ClaudeCodePreset,
  ClaudeCodeProvider,
  type ClaudeCodeProviderOptions,
  type CompletionConfig,
  type Context,
  type ContextMcpServer,
  contextToPrompt,
  type HistoryEntry,
  type MagiError,
  type MessageMetadata,
  mcpToolPatterns,
  type OmegaError,
  type OutgoingMessage,
  toMagiError,
  toOmegaError,
} from "./providers/index.js";
export type * from "./query/index.js";
// Where the wire has a name of its own for it, the official one wins.
export type { ElicitationRequest, UserDialogRequest } from "./query/index.js";
export {
  AbortError,
  BUILTIN_TOOL_NAMES,
  CommandMatcher,
  DirectConnectError,
  DirectConnectTransport,
  EXIT_REASONS,
  FileIndex,
  filterEscalatingDefaultMode,
  LEGACY_TOOL_NAME_ALIASES,
  matchDeniedModels,
  ORG_POLICY_LIMIT_PREFIXES,
  parseDirectConnectUrl,
  prewarm,
  query,
  resolveSettings,
  startup,
  USAGE_LIMIT_ERROR_PREFIXES,
  USAGE_TRANSITION_PREFIXES,
  USAGE_WARNING_PREFIXES,
} from "./query/index.js";
export {
  type CredentialInfo,
  explainPermission,
  openSession,
  type PermissionExplanation,
  type SendOptions,
  type Session,
  type SessionOptions,
  type Stop,
  type Timeouts,
  type Turn,
  type WholeMessage,
} from "./session/index.js";
export type * from "./transcripts/index.js";
export {
  archiveSession,
  deleteSession,
  foldSessionSummary,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  InMemorySessionStore,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
  unarchiveSession,
} from "./transcripts/index.js";
export {
  type CloseOptions,
  MemoryTransport,
  SubprocessTransport,
  type Transport,
} from "./transport/index.js";
export type * from "./wire/index.js";
export { isMessage, isResult, isSystem, LineFramer } from "./wire/index.js";
