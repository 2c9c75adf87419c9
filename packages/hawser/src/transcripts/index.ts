export { hasTranscript } from "./files/has-transcript.js";
export { projectKeyOf } from "./files/project-paths.js";
export { replaceFile } from "./files/replace-file.js";
export { foldSessionSummary } from "./list/fold-session-summary.js";
export { loadTranscriptFunctions } from "./load-functions.js";
export {
  archiveSession,
  deleteSession,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
  unarchiveSession,
} from "./session-functions.js";
export { InMemorySessionStore } from "./store/in-memory-session-store.js";
export type { MaterializedSession } from "./store/materialize-session.js";
export type {
  ForkSessionOptions,
  ForkSessionResult,
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  ImportSessionToStoreOptions,
  ListSessionsOptions,
  ListSubagentsOptions,
  SDKSessionInfo,
  SessionMessage,
  SessionMutationOptions,
  TranscriptPlace,
} from "./types.js";
