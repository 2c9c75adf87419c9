import { randomUUID } from "node:crypto";
import { HawserError, isObject } from "../../base/index.js";
import { isMessage, isResult, isSystem, type Message } from "../../wire/index.js";
import { LiveTurn, type TurnOwner } from "./turn.js";

/**
 * The turn that the CLI begins by itself after a resume, before any prompt: it goes on with a deferred tool call.
 * It is recorded from its first message on, because the caller asks for it only later.
 */
export class ResumedTurn {
  /** Whether the session was resumed. */
  readonly isResumed: boolean;
  #turn: LiveTurn | undefined;

  constructor(isResumed: boolean) {
    this.isResumed = isResumed;
  }

  /** The turn, until it is settled. */
  get open(): LiveTurn | undefined {
    return this.#turn?.settled === false ? this.#turn : undefined;
  }

  /** Whether a caller waits for the end of the turn, so that prompts have to wait too. */
  get holdsPrompts(): boolean {
    return this.open?.isClaimed === true;
  }

  /** Whether a message that belongs to no prompt would be the first of the turn. */
  get mayBegin(): boolean {
    return this.isResumed && this.#turn === undefined;
  }

  begin(owner: TurnOwner): LiveTurn {
    this.#turn = new LiveTurn({ uuid: randomUUID() }, owner);
    this.#turn.take();
    return this.#turn;
  }

  /**
   * The turn for a caller, if it has begun. Throws if the session was not resumed, or if a prompt was sent before
   * the first call: the CLI may have answered both with one result.
   */
  claimed(promptsSent: number): LiveTurn | undefined {
    if (!this.isResumed) throw noTurn("The session was not resumed, so the CLI begins no turn.");
    if (promptsSent > 0 && this.#turn?.isClaimed !== true) {
      throw noTurn("A prompt was sent before resumedTurn().");
    }
    return this.#turn;
  }

  /** The CLI asks about a tool call of its main thread, or tells that it runs one. */
  onToolCall(toolUseId: string): void {
    const { record } = this.open ?? {};
    // Later calls are in the messages of the model.
    if (record?.firstTokenAt === undefined) record?.awaitTool(toolUseId);
  }

  /** Keeps no messages of a turn that no caller can ask for any more. */
  onPrompt(): void {
    if (this.#turn?.isClaimed === false) this.#turn.keepsMessages = false;
  }
}

function noTurn(message: string): HawserError {
  const hint =
    "Call it after `openSession()` with `resume` or `continue`, before the first prompt.";
  return new HawserError("invalid_options", message, { hint });
}

/** Whether the CLI sends such a message only during a turn. */
export function isOfTurn(message: Message): boolean {
  const isSpoken = isMessage(message, "assistant") || isMessage(message, "user");
  return isSpoken || isResult(message) || isSystem(message, "init");
}

/** Whether the message has the result of a tool call of the main thread. */
export function hasToolResult(message: Message): boolean {
  if (!isMessage(message, "user") || message.parent_tool_use_id) return false;
  const content: unknown = message.message?.content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  return blocks.some((block) => isObject(block) && block["type"] === "tool_result");
}
