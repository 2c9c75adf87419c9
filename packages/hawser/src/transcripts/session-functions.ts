import type { SessionStore } from "../options/index.js";
import { loadTranscriptFunctions, type TranscriptFunctions } from "./load-functions.js";
import { withStorageErrors } from "./storage-error.js";
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

// The public functions. Each calls the function of its own name in functions.ts, and throws its system
// errors (ENOSPC, EMFILE, …) as HawserError.

/**
 * Lists the sessions of a directory and its git worktrees, or of all projects, the latest first. It
 * reads only the start and the end of each transcript, and only as many transcripts as the page
 * needs.
 *
 * @example
 * ```ts
 * for (const { sessionId, summary } of await listSessions({ dir: process.cwd(), limit: 10 })) {
 *   console.log(sessionId, summary);
 * }
 * ```
 */
export function listSessions(options?: ListSessionsOptions): Promise<SDKSessionInfo[]> {
  return call((work) => work.listSessions(options), options);
}

/** Returns one session as `listSessions()` lists it; `undefined` if it does not exist. */
export function getSessionInfo(
  sessionId: string,
  options?: GetSessionInfoOptions,
): Promise<SDKSessionInfo | undefined> {
  return call((work) => work.getSessionInfo(sessionId, options), options);
}

/**
 * Returns the messages of a session in their order; an empty list if the session does not exist.
 */
export function getSessionMessages(
  sessionId: string,
  options?: GetSessionMessagesOptions,
): Promise<SessionMessage[]> {
  return call((work) => work.getSessionMessages(sessionId, options), options);
}

/** Lists the ids of the sub-agents that a session has started. */
export function listSubagents(
  sessionId: string,
  options?: ListSubagentsOptions,
): Promise<string[]> {
  return call((work) => work.listSubagents(sessionId, options), options);
}

/** Returns the messages of a sub-agent in their order; an empty list if it does not exist. */
export function getSubagentMessages(
  sessionId: string,
  agentId: string,
  options?: GetSubagentMessagesOptions,
): Promise<SessionMessage[]> {
  return call((work) => work.getSubagentMessages(sessionId, agentId, options), options);
}

/**
 * Copies a session, or its start, to a new session that can be resumed on its own.
 *
 * @example
 * ```ts
 * const fork = await forkSession(sessionId);
 * const session = await openSession({ resume: fork.sessionId });
 * ```
 */
export function forkSession(
  sessionId: string,
  options?: ForkSessionOptions,
): Promise<ForkSessionResult> {
  return call((work) => work.forkSession(sessionId, options), options);
}

/** Sets the title of a session. */
export function renameSession(
  sessionId: string,
  title: string,
  options?: SessionMutationOptions,
): Promise<void> {
  return call((work) => work.renameSession(sessionId, title, options), options);
}

/** Sets the tag of a session; `null` removes it. */
export function tagSession(
  sessionId: string,
  tag: string | null,
  options?: SessionMutationOptions,
): Promise<void> {
  return call((work) => work.tagSession(sessionId, tag, options), options);
}

/** Deletes a session with all its sub-agents, on this machine or in the store. */
export function deleteSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  return call((work) => work.deleteSession(sessionId, options), options);
}

/** Marks a session as archived until its next prompt. The transcript stays where it is. */
export function archiveSession(sessionId: string, options?: SessionMutationOptions): Promise<void> {
  return call((work) => work.archiveSession(sessionId, options), options);
}

/** Removes the mark of an archived session. */
export function unarchiveSession(
  sessionId: string,
  options?: SessionMutationOptions,
): Promise<void> {
  return call((work) => work.unarchiveSession(sessionId, options), options);
}

/** Copies a session of this machine and its sub-agents into a store. */
export function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options?: ImportSessionToStoreOptions,
): Promise<void> {
  return call((work) => work.importSessionToStore(sessionId, store, options));
}

function call<T>(
  work: (functions: TranscriptFunctions) => Promise<T>,
  options?: { readonly sessionStore?: object | undefined },
): Promise<T> {
  return withStorageErrors(async () => work(await loadTranscriptFunctions()), options);
}
