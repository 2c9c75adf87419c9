import { diag } from "@opentelemetry/api";
import { maskSecrets } from "hawser";
import { SCOPE_NAME } from "../conventions.js";
import { cutValue } from "./cut-value.js";

/** Which contents spans get. */
export interface ContentOptions {
  /**
   * Prompts and system prompts.
   * @default true
   */
  readonly input?: boolean | undefined;
  /**
   * Answers and replies of the model.
   * @default true
   */
  readonly output?: boolean | undefined;
  /**
   * Inputs and results of tools, also in prompts and replies.
   * @default true
   */
  readonly tools?: boolean | undefined;
  /**
   * The most characters of text in one attribute. Longer texts are cut.
   * @default 4096
   */
  readonly maxLength?: number | undefined;
  /**
   * Masks texts further. Secrets that Hawser recognises are masked before. If it throws, the content is left out.
   */
  readonly mask?: ((text: string) => string) | undefined;
}

/**
 * Makes the attributes with contents: masked, cut, and as JSON. Each returns undefined if it is switched off, or if the
 * function `mask` of the program fails.
 */
export class Content {
  readonly #options: ContentOptions;
  readonly #isOn: boolean;

  constructor(content: boolean | ContentOptions | undefined) {
    this.#isOn = content === true || typeof content === "object";
    this.#options = typeof content === "object" ? content : {};
  }

  /** A prompt as a list of one message. */
  prompt(prompt: unknown): string | undefined {
    if (!this.#has("input") || prompt === undefined) return undefined;
    return this.#json([{ role: "user", parts: partsOf(prompt, this.#has("tools")) }]);
  }

  systemPrompt(systemPrompt: unknown): string | undefined {
    if (!this.#has("input")) return undefined;
    const texts = [systemPrompt].flat().flatMap((each) => {
      if (typeof each === "string") return [each];
      const { append } = fieldsOf(each);
      return typeof append === "string" ? [append] : [];
    });
    if (texts.length === 0) return undefined;
    return this.#json(texts.map((content) => ({ type: "text", content })));
  }

  /** The blocks of an answer as a list of one message. */
  answer(blocks: unknown, stopReason: string | undefined): string | undefined {
    if (!this.#has("output") || blocks === undefined) return undefined;
    const reason = stopReason === undefined ? {} : { finish_reason: stopReason };
    const parts = partsOf(blocks, this.#has("tools"));
    return this.#json([{ role: "assistant", parts, ...reason }]);
  }

  tool(value: unknown): string | undefined {
    return this.#has("tools") && value !== undefined ? this.#json(withoutData(value)) : undefined;
  }

  #has(kind: "input" | "output" | "tools"): boolean {
    return this.#isOn && this.#options[kind] !== false;
  }

  #json(value: unknown): string | undefined {
    const { maxLength = MAX_LENGTH, mask } = this.#options;
    const masked = (text: string, key = "") => {
      // The name of a field can tell that its value is a secret.
      const { [key]: known = "" } = maskSecrets({ [key]: text });
      return mask === undefined ? known : mask(known);
    };
    try {
      return JSON.stringify(cutValue(value, maxLength, masked));
    } catch (error) {
      // The span must end nevertheless.
      diag.error(`${SCOPE_NAME}: a content was left out, because it could not be masked`, error);
      return undefined;
    }
  }
}

const MAX_LENGTH = 4096;

/** The content of a message in the form of the conventions. */
function partsOf(content: unknown, hasTools: boolean): unknown[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  // A prompt that is to be taken literally has an empty block beside it.
  return blocks
    .filter((block) => fieldsOf(block)["text"] !== "")
    .map((block) => partOf(block, hasTools));
}

function partOf(block: unknown, hasTools: boolean): unknown {
  if (typeof block === "string") return { type: "text", content: block };
  const { type, text, thinking, id, name, input, tool_use_id, content } = fieldsOf(block);
  switch (type) {
    case "text":
      return { type, content: text };
    case "thinking":
      return { type: "reasoning", content: thinking };
    case "tool_use":
      return { type: "tool_call", id, name, ...(hasTools ? { arguments: input } : {}) };
    case "tool_result": {
      const response = hasTools ? { response: withoutData(content) } : {};
      return { type: "tool_call_response", id: tool_use_id, ...response };
    }
    case "image":
    case "document":
      return blobOf(block);
    default:
      return { type };
  }
}

/** The result of a tool without the data of images and documents in it. */
function withoutData(result: unknown): unknown {
  if (!Array.isArray(result)) return result;
  return result.map((block) =>
    ["image", "document"].includes(String(fieldsOf(block)["type"])) ? blobOf(block) : block,
  );
}

/** An image or a document without its data, which are large and of no use in a trace. */
function blobOf(block: unknown): unknown {
  const { type, source } = fieldsOf(block);
  return { type: "blob", modality: type, mime_type: fieldsOf(source)["media_type"] };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
