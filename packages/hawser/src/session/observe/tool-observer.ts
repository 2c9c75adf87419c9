import {
  CHANNELS,
  eventTime,
  objectOf,
  publish,
  type ToolEndEvent,
  type ToolStartEvent,
} from "../../base/index.js";
import { namesOfTool } from "../../options/index.js";
import type { EventIds } from "./event-ids.js";
import type { Thread } from "./round-observer.js";

/** Follows the tool calls of a session from the model's call to the result. */
export class ToolObserver {
  readonly #ids: EventIds;
  /** In the order of their starts, so that a sub-agent comes before its own calls. */
  readonly #open = new Map<string, ToolStartEvent>();
  readonly #denied = new Set<string>();

  constructor(ids: EventIds) {
    this.#ids = ids;
  }

  /** The start of a call that has no result yet. */
  get(toolUseId: string | undefined): ToolStartEvent | undefined {
    return toolUseId === undefined ? undefined : this.#open.get(toolUseId);
  }

  /** The model has called a tool. */
  start(block: Readonly<Record<string, unknown>>, thread: Thread, round: number | undefined): void {
    const { id: toolUseId, name, input } = block;
    if (typeof toolUseId !== "string" || this.#open.has(toolUseId)) return;
    const tool = typeof name === "string" ? name : "";
    const start: ToolStartEvent = {
      at: eventTime(),
      ...this.#ids.turnIds(),
      round,
      toolUseId,
      tool,
      parentToolUseId: thread,
      subagentType: subagentTypeOf(tool, input),
      input,
    };
    this.#open.set(toolUseId, start);
    publish(CHANNELS.toolStart, () => start);
  }

  /** It was decided that the call must not run. Its result reports an error. */
  deny(toolUseId: string | undefined): void {
    if (toolUseId !== undefined && this.#open.has(toolUseId)) this.#denied.add(toolUseId);
  }

  wasDenied(toolUseId: string): boolean {
    return this.#denied.has(toolUseId);
  }

  end(toolUseId: string, outcome: ToolEndEvent["outcome"], result: unknown): void {
    const start = this.#open.get(toolUseId);
    if (start === undefined) return;
    const isDenied = this.#denied.delete(toolUseId);
    this.#open.delete(toolUseId);
    const at = eventTime();
    publish(CHANNELS.toolEnd, () => ({
      ...start,
      ...this.#ids.sessionIds(),
      at,
      outcome: isDenied ? "denied" : outcome,
      ms: at - start.at,
      result,
    }));
  }

  /**
   * The calls of a turn that will not get a result, the innermost first. The calls of a sub-agent that runs
   * on in the background, because the call that started it has its result, are not among them.
   */
  leftOf(turn: string): readonly string[] {
    const left: string[] = [];
    for (const { toolUseId, parentToolUseId: thread, turn: own } of this.#open.values()) {
      if (own === turn && (thread === null || left.includes(thread))) left.unshift(toolUseId);
    }
    return left;
  }

  /** All calls that have no result, the innermost first. */
  get all(): readonly string[] {
    return [...this.#open.keys()].reverse();
  }
}

const STARTS_SUBAGENTS: ReadonlySet<string> = new Set(namesOfTool("Agent"));

/** Any tool can have a field of this name, and its value is content then. */
function subagentTypeOf(tool: string, input: unknown): string | undefined {
  const { subagent_type } = objectOf(input);
  return STARTS_SUBAGENTS.has(tool) && typeof subagent_type === "string"
    ? subagent_type
    : undefined;
}
