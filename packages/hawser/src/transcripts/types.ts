import type { SessionStore } from "../options/index.js";

/** Where the transcripts are. */
export interface TranscriptPlace {
  /** The CLI's configuration folder. Default: CLAUDE_CONFIG_DIR or `~/.claude`. */
  readonly configDir?: string | undefined;
  /** The working directory that the sessions belong to. Default: all projects. */
  readonly dir?: string | undefined;
}

/** Transcripts of the CLI's own files, or of a store. */
interface Source extends TranscriptPlace {
  /** Use this store instead of the files; `dir` is then the current directory by default. */
  readonly sessionStore?: SessionStore | undefined;
}

interface Page {
  /** At most so many; 0 is no limit. */
  readonly limit?: number | undefined;
  /** Leave out so many at the start. */
  readonly offset?: number | undefined;
}

/** Which sessions are listed. */
export interface ListSessionsOptions extends Source, Page {
  /** The sessions of the other worktrees of the same git repository too. Default true. */
  readonly includeWorktrees?: boolean | undefined;
  /** The sessions of programs too, not only those of people. Default true; not for a store. */
  readonly includeProgrammatic?: boolean | undefined;
}

/** Where the session is. */
export interface GetSessionInfoOptions extends Source {}

/** Which messages are read. */
export interface GetSessionMessagesOptions extends Source, Page {
  /** The notices of the CLI too, the marks of compaction among them. Default false. */
  readonly includeSystemMessages?: boolean | undefined;
}

/** Where the session is. */
export interface ListSubagentsOptions extends Source {}

/** Which messages are read. */
export interface GetSubagentMessagesOptions extends Source, Page {}

/** Where the session is that is changed. */
export interface SessionMutationOptions extends Source {}

/** What the copy keeps. */
export interface ForkSessionOptions extends SessionMutationOptions {
  /** The `uuid` of the last message that the fork keeps; all of them when it is not given. */
  readonly upToMessageId?: string | undefined;
  /** By default the title of the source and " (fork)". */
  readonly title?: string | undefined;
}

/** The copy. */
export interface ForkSessionResult {
  sessionId: string;
}

export interface ImportSessionToStoreOptions extends TranscriptPlace {
  /** The transcripts of sub-agents too. Default true. */
  readonly includeSubagents?: boolean | undefined;
  /** How many entries one `append` gets at most. Default 500. */
  readonly batchSize?: number | undefined;
}

/** What a list shows of a session. */
export interface SDKSessionInfo {
  sessionId: string;
  /** The title, else the last prompt, else the first one. */
  summary: string;
  /** Milliseconds since 1970. */
  lastModified: number;
  /** In bytes. */
  fileSize?: number;
  /** The title that a person or the CLI gave it. */
  customTitle?: string;
  firstPrompt?: string;
  /** The branch at the end of the session. */
  gitBranch?: string;
  cwd?: string;
  tag?: string;
  /** Milliseconds since 1970. */
  createdAt?: number;
  /** False when it was archived and is so no more; absent when it never was. */
  archived?: boolean;
}

/** One message of a transcript. */
export interface SessionMessage {
  type: "user" | "assistant" | "system";
  uuid: string;
  session_id: string;
  message: unknown;
  /** The call that started the sub-agent whose message this is. */
  parent_tool_use_id: string | null;
  /** The sub-agent that started this one; null below the main thread. */
  parent_agent_id: string | null;
  /** Who sent it, where that was not a person. */
  origin?: unknown;
  /** The summary that a compaction put in the place of all before it. */
  isCompactSummary?: true;
  /** Written by the CLI for the model, not by a person. */
  is_meta?: true;
  /** A command that the CLI has run by itself, to the end. */
  isCompletedLocalCommand?: true;
  timestamp?: string;
}
