import type { SessionStore } from "../options/index.js";
import * as archive from "./change/archive-session.js";
import * as mutate from "./change/change-session.js";
import * as fork from "./change/fork-session.js";
import * as list from "./list/list-sessions.js";
import * as messages from "./messages/session-messages.js";
import * as subagents from "./messages/subagents.js";
import { withStorageErrors } from "./storage-error.js";
import * as imported from "./store/import-session-to-store.js";
import type {
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
} from "./types.js";

// The public functions. Each calls the function of its own name in an imported module, and throws its
// system errors (ENOSPC, EMFILE, …) as HawserError.

/**
 * The sessions of a directory and its git worktrees, or of all projects; the latest first. Of each
 * transcript only both ends are read, and of those only as many as the page needs.
 */
export function listSessions(options?: ListSessionsOptions): Promise<SDKSessionInfo[]> {
  return withStorageErrors(() => list.listSessions(options), options);
}

/** What a list shows of one session; undefined when there is no such session to show. */
export function getSessionInfo(
  sessionId: string,
  options?: GetSessionInfoOptions,
): Promise<SDKSessionInfo | undefined> {
  return withStorageErrors(() => list.getSessionInfo(sessionId, options), options);
}

/** The messages of a session's conversation, the first one first; none when it is not found. */
export function getSessionMessages(
  sessionId: string,
  options?: GetSessionMessagesOptions,
): Promise<SessionMessage[]> {
  return withStorageErrors(() => messages.getSessionMessages(sessionId, options), options);
}

/** The ids of the sub-agents that a session has started. */
export function listSubagents(
  sessionId: string,
  options?: ListSubagentsOptions,
): Promise<string[]> {
  return withStorageErrors(() => subagents.listSubagents(sessionId, options), options);
}

/** The messages of a sub-agent's conversation, the first one first; none when it is not found. */
export function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options?: GetSubagentMessagesOptions,
): Promise<SessionMessage[]> {
  return withStorageErrors(
    () => subagents.getSubagentMessages(sessionId, agentId, options),
    options,
  );
}

/** Copies a session, or its start, to a new one that can be resumed on its own. */
export function forkSession(
  sessionId: string,
  options?: ForkSessionOptions,
): Promise<ForkSessionResult> {
  return withStorageErrors(() => fork.forkSession(sessionId, options), options);
}

/** Gives a session a title. */
export function renameSession(
  sessionId: string,
  title: string,
  options?: SessionMutationOptions,
): Promise<void> {
  return withStorageErrors(() => mutate.renameSession(sessionId, title, options), options);
}

/** Gives a session a tag; null takes it away. */
export function tagSession(
  sessionId: string,
  tag: string | null,
  options?: SessionMutationOptions,
): Promise<void> {
  return withStorageErrors(() => mutate.tagSession(sessionId, tag, options), options);
}

/** Deletes a session with all its sub-agents, on this machine or in the store. */
export function deleteSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  return withStorageErrors(() => mutate.deleteSession(sessionId, options), options);
}

/** Marks a session as archived, until a prompt is sent in it. It stays where it is. */
export function archiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  return withStorageErrors(() => archive.archiveSession(sessionId, options), options);
}

/** Takes the mark of an archived session away. */
export function unarchiveSession(
  sessionId: string,
  options?: SessionMutationOptions,
): Promise<void> {
  return withStorageErrors(() => archive.unarchiveSession(sessionId, options), options);
}

/** Copies a session of this machine into a store, its sub-agents too. */
export function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options?: ImportSessionToStoreOptions,
): Promise<void> {
  return withStorageErrors(() => imported.importSessionToStore(sessionId, store, options));
}
