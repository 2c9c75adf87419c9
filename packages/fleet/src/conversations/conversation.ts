import type { Prompt } from "hawser";
import type { DayUsage } from "../accounting/tenants.js";
import type { Run, RunOptions } from "../runs/run.js";

/** Which conversation: one for each channel, user and project. */
export interface ConversationKey {
  readonly channel: string;
  readonly user: string;
  /** @default "" */
  readonly project?: string;
}

/** How the messages of a conversation are answered. */
export interface ConversationOptions extends RunOptions {
  /** What a worker knows by this name. @default "default" */
  readonly profile?: string;
  /** Which workers may answer (`labels` of the worker). @default "default" */
  readonly queue?: string;
  /** Who pays. It stays the same for a conversation. @default the user */
  readonly tenant?: string;
  /** After so long without a message the session is closed with a summary. @default 2 hours */
  readonly idleMs?: number;
}

/**
 * One conversation that any program can continue. Messages of one key are answered one after the other, in the order
 * in which they were sent, whatever happens to the programs and hosts.
 *
 * A conversation has one session of the CLI at a time. If the session is lost, it is rebuilt from the stored
 * messages. After an idle time it is closed with a summary, and the next message begins a new one.
 */
export interface Conversation {
  readonly key: ConversationKey;
  /**
   * Queues a message. The run continues the conversation's session; its events are the progress of the answer. A
   * message with the same `id` is sent once, and the same `id` with another message is `invalid_options`.
   */
  send(
    message: Prompt,
    options?: { readonly id?: string; readonly budgetUsd?: number },
  ): Promise<Run>;
  /** The stored messages, the oldest first: the newest `limit` of those before the number `before`. */
  history(options?: {
    readonly before?: number;
    /** @default 100 */
    readonly limit?: number;
  }): Promise<ConversationMessage[]>;
  /**
   * Full-text search over the messages of this user in this channel, in all projects: those that have all the words,
   * or words that begin with them, the newest first. It works in every language.
   */
  search(
    text: string,
    options?: {
      /** @default 20 */
      readonly limit?: number;
    },
  ): Promise<ConversationMessage[]>;
  /** What the tenant of this conversation has spent on a day (UTC). @default today */
  usage(day?: Date): Promise<DayUsage>;
  /**
   * Closes the session with a summary, and resolves with it; with undefined if there was no session, if no summary
   * could be written, or if a message came first. The next message begins a new session that knows the summary. The
   * closing goes on if the signal aborts the waiting, or if this program ends.
   */
  close(options?: { readonly signal?: AbortSignal }): Promise<string | undefined>;
}

/** One stored message. Plain data. */
export interface ConversationMessage {
  /** Numbers the messages of one conversation. */
  readonly seq: number;
  readonly project: string;
  readonly role: "user" | "assistant" | "summary";
  /** Images and documents are named by their type, for example `[image]`. */
  readonly text: string;
  /** The run that answers a message of the user, or that wrote this answer or summary. */
  readonly run?: string;
  /** The caller's id of a message of the user. */
  readonly id?: string;
  readonly at: Date;
}
