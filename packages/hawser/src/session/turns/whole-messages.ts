import {
  type AssistantMessage,
  type ContentBlock,
  isMessage,
  type Message,
  type ResultMessage,
  type StreamEvent,
  type Usage,
} from "../../wire/index.js";

/** A reply of the model in one piece, as the Messages API would give it. */
export interface WholeMessage {
  readonly id: string;
  readonly model: string;
  readonly role: "assistant";
  readonly content: readonly ContentBlock[];
  /** The final usage; `undefined` if the CLI did not report it for this message alone. */
  readonly usage: Usage | undefined;
  readonly stopReason: string | undefined;
  /** The id of the Agent tool call, if a sub-agent wrote the message; otherwise `null`. */
  readonly parentToolUseId: string | null;
}

/** Assembles replies, because the CLI prints each block on its own, with usage that is not final. */
export class WholeMessages {
  readonly #byId = new Map<string, ReplyParts>();
  /** The message that streams at the moment, for the main thread and for each sub-agent. */
  readonly #streaming = new Map<string | null, string>();

  add(message: Message): void {
    if (isMessage(message, "assistant")) this.#addBlock(message);
    else if (isMessage(message, "stream_event")) this.#addEvent(message);
  }

  /** In the order in which they began. The usage of a sole reply is that of the turn. */
  list(result?: ResultMessage): readonly WholeMessage[] {
    const parts = [...this.#byId.values()].filter(({ content }) => content.length > 0);
    const own = parts.filter(({ parentToolUseId }) => parentToolUseId === null);
    return parts.map(({ startUsage, endUsage, ...rest }) => {
      const streamed = endUsage && { ...startUsage, ...endUsage };
      const usage =
        streamed ?? (own.length === 1 && own[0]?.id === rest.id ? result?.usage : undefined);
      return { ...rest, usage };
    });
  }

  /** The blocks of the newest reply in the main thread. */
  get newestContent(): readonly ContentBlock[] {
    const replies = [...this.#byId.values()];
    const isNewest = ({ parentToolUseId, content }: ReplyParts) =>
      parentToolUseId === null && content.length > 0;
    return replies.findLast(isNewest)?.content ?? [];
  }

  #addBlock({ message, parent_tool_use_id, error }: AssistantMessage): void {
    // The CLI reports a failure of the API as an assistant message, which is not a reply of the model.
    if (error !== undefined || !Array.isArray(message?.content)) return;
    const parts = this.#partsOf(message.id, message.model, parent_tool_use_id);
    parts.content.push(...message.content);
  }

  #addEvent({ event, parent_tool_use_id }: StreamEvent): void {
    if (event?.type === "message_start") {
      const { message } = event as { readonly message?: Start };
      if (typeof message?.id !== "string") return;
      this.#streaming.set(parent_tool_use_id, message.id);
      this.#partsOf(message.id, message.model, parent_tool_use_id).startUsage = message.usage;
    } else if (event?.type === "message_delta") {
      const { usage, delta } = event as { readonly usage?: Usage; readonly delta?: Delta };
      const parts = this.#byId.get(this.#streaming.get(parent_tool_use_id) ?? "");
      if (parts === undefined) return;
      parts.endUsage = usage;
      parts.stopReason = delta?.stop_reason ?? undefined;
    }
  }

  #partsOf(id: string, model: string, parentToolUseId: string | null): ReplyParts {
    let parts = this.#byId.get(id);
    if (parts === undefined) {
      parts = {
        id,
        model,
        role: "assistant",
        content: [],
        stopReason: undefined,
        parentToolUseId,
        startUsage: undefined,
        endUsage: undefined,
      };
      this.#byId.set(id, parts);
    }
    return parts;
  }
}

interface ReplyParts {
  readonly id: string;
  readonly model: string;
  readonly role: "assistant";
  readonly content: ContentBlock[];
  stopReason: string | undefined;
  readonly parentToolUseId: string | null;
  startUsage: Usage | undefined;
  endUsage: Usage | undefined;
}

interface Start {
  readonly id: string;
  readonly model: string;
  readonly usage?: Usage;
}

interface Delta {
  readonly stop_reason?: string | null;
}
