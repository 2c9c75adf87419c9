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
} from "./functions.js";
export { isWritten } from "./is-written.js";
export { type MaterializedSession, type MaterializeOptions, materialize } from "./materialize.js";
export { InMemorySessionStore } from "./memory-store.js";
export { StoreMirror, type StoreMirrorOptions } from "./mirror.js";
export { projectKeyOf } from "./place.js";
export { replaceFile } from "./replace-file.js";
export { foldSessionSummary } from "./summary.js";
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
