import type { SessionStore } from "../options/index.js";

/** Where the transcripts of sessions are. */
export interface TranscriptPlace {
  /**
   * The CLI's configuration directory.
   * @default CLAUDE_CONFIG_DIR, or else ~/.claude
   */
  readonly configDir?: string | undefined;
  /**
   * The working directory that the sessions belong to.
   * @default all projects
   */
  readonly dir?: string | undefined;
}

/** Transcripts in the CLI's own files or in a store. */
interface Source extends TranscriptPlace {
  /** Uses this store instead of the files. Then `dir` defaults to the current directory. */
  readonly sessionStore?: SessionStore | undefined;
}

interface Page {
  /**
   * The most items to return; 0 is no limit.
   * @default 0
   */
  readonly limit?: number | undefined;
  /**
   * How many items to skip at the start.
   * @default 0
   */
  readonly offset?: number | undefined;
}

/** Options of `listSessions()`. */
export interface ListSessionsOptions extends Source, Page {
  /**
   * Also lists the sessions of the other worktrees of the same git repository.
   * @default true
   */
  readonly includeWorktrees?: boolean | undefined;
  /**
   * Also lists sessions that programs started. It has no effect with `sessionStore`.
   * @default true
   */
  readonly includeProgrammatic?: boolean | undefined;
}

/** Options of `getSessionInfo()`. */
export interface GetSessionInfoOptions extends Source {}

/** Options of `getSessionMessages()`. */
export interface GetSessionMessagesOptions extends Source, Page {
  /**
   * Also returns notices of the CLI, such as the marks of a compaction.
   * @default false
   */
  readonly includeSystemMessages?: boolean | undefined;
  /**
   * Also returns messages that the conversation does not have any more: those before a compaction, and those that a
   * rewind has left. Then the order is that of the file.
   * @default false
   */
  readonly includeHistory?: boolean | undefined;
}

/** Options of `listSubagents()`. */
export interface ListSubagentsOptions extends Source {}

/** Options of `getSubagentMessages()`. */
export interface GetSubagentMessagesOptions extends Source, Page {}

/** Options of the functions that change a session. */
export interface SessionMutationOptions extends Source {}

/** Options of `forkSession()`. */
export interface ForkSessionOptions extends SessionMutationOptions {
  /**
   * The `uuid` of the last message that the fork keeps.
   * @default the last message of the session
   */
  readonly upToMessageId?: string | undefined;
  /**
   * Title of the fork.
   * @default the title of the source and " (fork)"
   */
  readonly title?: string | undefined;
}

/** The result of `forkSession()`. */
export interface ForkSessionResult {
  /** Id of the new session. */
  sessionId: string;
}

/** Options of `importSessionToStore()`. */
export interface ImportSessionToStoreOptions extends TranscriptPlace {
  /**
   * Also copies the transcripts of sub-agents.
   * @default true
   */
  readonly includeSubagents?: boolean | undefined;
  /**
   * The most entries in one `append()`.
   * @default 500
   */
  readonly batchSize?: number | undefined;
}

/** A session, as `listSessions()` lists it. */
export interface SDKSessionInfo {
  sessionId: string;
  /** The title, or else the last prompt, or else the first prompt. */
  summary: string;
  /** Milliseconds since 1970. */
  lastModified: number;
  /** Size of the transcript in bytes. */
  fileSize?: number;
  /** The title that a person or the CLI gave the session. */
  customTitle?: string;
  firstPrompt?: string;
  /** The branch at the end of the session. */
  gitBranch?: string;
  cwd?: string;
  tag?: string;
  /** Milliseconds since 1970. */
  createdAt?: number;
  /** False if the session was archived and no longer is; absent if it never was. */
  archived?: boolean;
}

/** One message of a transcript. */
export interface SessionMessage {
  type: "user" | "assistant" | "system";
  uuid: string;
  session_id: string;
  message: unknown;
  /** For a message of a sub-agent: the tool call that started the sub-agent. */
  parent_tool_use_id: string | null;
  /** The sub-agent that started this sub-agent; null if the main thread started it. */
  parent_agent_id: string | null;
  /** The sender, if the message does not come from a person. */
  origin?: unknown;
  /** The message is the summary that a compaction put in place of all messages before it. */
  isCompactSummary?: true;
  /** The CLI wrote the message for the model. */
  is_meta?: true;
  /** The message is a command that the CLI has run itself, to its end. */
  isCompletedLocalCommand?: true;
  timestamp?: string;
}
