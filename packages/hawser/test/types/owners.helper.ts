/** Official names of types that neither src/query/types nor src/wire exports, by the file that exports them. */
export const GIVEN_ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  "src/query/abort-error.ts": ["AbortError"],
  "src/mcp/index.ts": [
    "AnyZodRawShape",
    "CallToolResult",
    "CreateSdkMcpServerOptions",
    "InferShape",
    "McpSdkServerConfigWithInstance",
    "SdkMcpToolDefinition",
  ],
  "src/options/types/session-store.ts": [
    "SessionKey",
    "SessionStore",
    "SessionStoreEntry",
    "SessionStoreFlush",
    "SessionSummaryEntry",
  ],
  "src/transcripts/index.ts": [
    "ForkSessionOptions",
    "ForkSessionResult",
    "GetSessionInfoOptions",
    "GetSessionMessagesOptions",
    "GetSubagentMessagesOptions",
    "ImportSessionToStoreOptions",
    "InMemorySessionStore",
    "ListSessionsOptions",
    "ListSubagentsOptions",
    "SDKSessionInfo",
    "SessionMessage",
    "SessionMutationOptions",
  ],
};
