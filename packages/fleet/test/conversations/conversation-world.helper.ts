import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type {
  Conversation,
  ConversationKey,
  ConversationOptions,
} from "../../src/conversations/conversation.js";
import { createConversation } from "../../src/conversations/create-conversation.js";
import type { Claim } from "../../src/runs/claims.js";
import type { Run } from "../../src/runs/run.js";
import { doneWith, failedWith, type RunProgram } from "../support/run-world.js";

/** For `expect.poll()`. */
export const SOON = { timeout: 30_000 };

/** A conversation whose runs are claimed and settled by hand. Its queue is its own. */
export class HandledConversation {
  readonly conversation: Conversation;
  readonly #program: RunProgram;
  readonly #queue: string;

  constructor(program: RunProgram, key: ConversationKey, options: ConversationOptions = {}) {
    this.#program = program;
    this.#queue = `q-${randomUUID()}`;
    this.conversation = createConversation(program.parts, key, { queue: this.#queue, ...options });
  }

  /** The next run; undefined if there is none to claim. */
  claim(): Promise<Claim | undefined> {
    return this.#program.claims.claim({ host: "host-a", queues: [this.#queue] });
  }

  /** Claims the next run and answers it. Returns what the worker got. */
  async answer(text: string, costUsd = 0.01): Promise<Claim> {
    const claim = await this.#next();
    await this.#program.claims.settle(claim, doneWith(text, costUsd));
    return claim;
  }

  async fail(): Promise<Claim> {
    const claim = await this.#next();
    await this.#program.claims.settle(claim, failedWith());
    return claim;
  }

  /** Sends a message and answers it. */
  async exchange(message: string, answer: string): Promise<Run> {
    const run = await this.conversation.send(message);
    await this.answer(answer);
    return run;
  }

  /** Closes the conversation, and answers for the model. */
  async closeWith(summary: string): Promise<void> {
    const closed = this.conversation.close();
    await expect.poll(() => this.summaryRun(), SOON).not.toBeNull();
    await this.answer(summary);
    await closed;
  }

  /** The run that writes the summary; null if the conversation is not being closed. */
  async summaryRun(): Promise<string | null | undefined> {
    const { channel, user, project = "" } = this.conversation.key;
    const [row] = await this.#program.rows<{ summary_run: string | null }>(
      `select summary_run from ${this.#program.database.schema}.conversation
       where channel = $1 and user_name = $2 and project = $3`,
      [channel, user, project],
    );
    return row?.summary_run;
  }

  async #next(): Promise<Claim> {
    const claim = await this.claim();
    if (claim === undefined) throw new Error("There is nothing to claim.");
    return claim;
  }
}
