import type { LanguageModelV4 } from "@ai-sdk/provider";
import {
  type ModelMessage,
  streamText,
  type TextStreamPart,
  type ToolApprovalRequest,
  type ToolSet,
} from "ai";

/** A conversation whose messages are kept as a program would keep them. */
export class Conversation {
  readonly #model: LanguageModelV4;
  readonly #tools: ToolSet | undefined;
  readonly messages: ModelMessage[] = [];

  constructor(model: LanguageModelV4, tools?: ToolSet) {
    this.#model = model;
    this.#tools = tools;
  }

  /** Says something and gives the parts of the answer. */
  say(text: string, signal?: AbortSignal): Promise<Said> {
    this.messages.push({ role: "user", content: text });
    return this.run(signal);
  }

  /** Decides about the pending approvals and gives the parts of the answer. */
  decide(approved: boolean, reason?: string): Promise<Said> {
    this.messages.push(this.decision(approved, reason));
    return this.run();
  }

  /** The message that decides about the pending approvals. */
  decision(approved: boolean, reason?: string): ModelMessage {
    const content = this.pending.map(({ approvalId }) => ({
      type: "tool-approval-response" as const,
      approvalId,
      approved,
      providerExecuted: true,
      ...(reason === undefined ? {} : { reason }),
    }));
    return { role: "tool", content };
  }

  /** The approval requests of the last message. */
  get pending(): readonly ToolApprovalRequest[] {
    const last = this.messages.at(-1);
    if (last?.role !== "assistant" || typeof last.content === "string") return [];
    return last.content.filter((part) => part.type === "tool-approval-request");
  }

  /** Asks the model, and keeps what it says. */
  async run(abortSignal?: AbortSignal, messages = this.messages): Promise<Said> {
    const errors: unknown[] = [];
    const result = streamText({
      model: this.#model,
      messages,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
      ...(this.#tools === undefined ? {} : { tools: this.#tools, stopWhen: () => false }),
      ...(abortSignal === undefined ? {} : { abortSignal }),
    });
    const parts: TextStreamPart<ToolSet>[] = [];
    for await (const part of result.fullStream) parts.push(part);
    if (errors.length > 0) return { parts, errors, text: "" };
    this.messages.push(...(await result.responseMessages));
    return { parts, errors, text: await result.text };
  }
}

export interface Said {
  readonly parts: readonly TextStreamPart<ToolSet>[];
  readonly errors: readonly unknown[];
  /** The text of the last step. */
  readonly text: string;
}

/** The kinds of the parts that say something about tools and text, in order, with the name of the tool. */
export function outline({ parts }: Said): readonly string[] {
  return parts.flatMap((part) => {
    switch (part.type) {
      case "text-start":
      case "text-end":
      case "finish-step":
        return part.type === "finish-step" ? [`finish ${part.finishReason}`] : [part.type];
      case "tool-input-start":
      case "tool-call":
      case "tool-result":
      case "tool-error":
      case "tool-output-denied":
        return [`${part.type} ${part.toolName}`];
      case "tool-approval-request":
        return [`${part.type} ${part.toolCall.toolName}`];
      default:
        return [];
    }
  });
}

/** The messages of a request to the model, without those that the CLI adds as system messages. */
export function requestMessages(body: unknown): readonly RequestMessage[] {
  const { messages } = body as { readonly messages: readonly RequestMessage[] };
  return messages.filter(({ role }) => role !== "system");
}

interface RequestMessage {
  readonly role: string;
  readonly content:
    | string
    | readonly { readonly type: string; readonly [field: string]: unknown }[];
}
