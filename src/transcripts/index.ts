export { archiveSession, unarchiveSession } from "./archive.js";
export { forkSession } from "./fork.js";
export { importSessionToStore } from "./import.js";
export { isWritten } from "./is-written.js";
export { getSessionInfo, listSessions } from "./list.js";
export { type MaterializedSession, type MaterializeOptions, materialize } from "./materialize.js";
export { InMemorySessionStore } from "./memory-store.js";
export { getSessionMessages } from "./messages.js";
export { StoreMirror, type StoreMirrorOptions } from "./mirror.js";
export { deleteSession, renameSession, tagSession } from "./mutate.js";
export { projectKeyOf } from "./place.js";
export { replaceFile } from "./replace-file.js";
export { getSubagentMessages, listSubagents } from "./subagents.js";
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
