import { HawserError } from "../base/index.js";
import {
  dropMessages,
  interruptAtToolCalls,
  interruptTurn,
  recordOf,
  type ToolUse,
  type Turn,
} from "../session/index.js";
import { type ContentBlock, isResult, type ResultMessage } from "../wire/index.js";

/**
 * Interrupts a turn at the end of the first message in which the model calls client tools: the caller runs
 * them, and no further request to the model is wanted.
 */
export class ToolCallCut {
  readonly #turn: Turn;
  readonly #names: ReadonlySet<string>;
  #calls: readonly ToolUse[] = [];
  #content: readonly ContentBlock[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `names` are those of the client tools. The CLI itself answers a call of any other name. */
  constructor(turn: Turn, names: ReadonlySet<string>) {
    this.#turn = turn;
    this.#names = names;
    const record = recordOf(turn);
    record.onToolUse = (isWhole) => {
      clearTimeout(this.#timer);
      if (isWhole) this.#cut();
      // A message that was not streamed comes block by block, and its end is not reported.
      else this.#timer = setTimeout(() => this.#cut(), SETTLE_MS);
    };
  }

  /** The calls of the model, once the turn was interrupted because of them. */
  get calls(): readonly ToolUse[] {
    return this.#calls;
  }

  /** The message in which the model made the calls. */
  get content(): readonly ContentBlock[] {
    return this.#content;
  }

  /** The result of the interrupted turn; undefined if the turn was not interrupted because of tool calls. */
  get result(): ResultMessage | undefined {
    const { lastMessage } = recordOf(this.#turn);
    const isCut = this.#calls.length > 0 && lastMessage !== undefined && isResult(lastMessage);
    return isCut ? lastMessage : undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    recordOf(this.#turn).onToolUse = undefined;
  }

  #cut(): void {
    if (this.#calls.length > 0) return;
    const { toolUses, whole } = recordOf(this.#turn);
    const calls = toolUses.filter(({ name }) => this.#names.has(name));
    if (calls.length === 0) return;
    this.#calls = calls;
    this.#content = [...whole.newestContent];
    // What the CLI says about the interrupt is not for the reader.
    dropMessages(this.#turn);
    // The interrupt has no reason: if the process dies now, the call rejects with the error of the process.
    interruptAtToolCalls(this.#turn).catch(() => {});
    this.#timer = setTimeout(() => {
      interruptTurn(this.#turn, new HawserError("protocol_error", GOES_ON));
    }, OBEY_MS);
  }
}

/** An assumption: the CLI prints the blocks of a message that was not streamed within this time. */
const SETTLE_MS = 250;
/** How long the CLI may take to obey the interrupt (observed: 30 to 200 ms). */
const OBEY_MS = 2_000;

const GOES_ON = "The CLI did not stop when the model had called tools of the caller.";
