import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { ContentBlock } from "hawser";
import type { CallWarnings } from "../call-warnings.js";
import { fileBlock } from "./file-block.js";

/** The blocks of a user message: its texts, and its files as images and documents. */
export function userBlocks(content: UserContent, warnings: CallWarnings): readonly ContentBlock[] {
  return content.flatMap((part): readonly ContentBlock[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    const block = fileBlock(part, warnings);
    return block === undefined ? [] : [block];
  });
}

type UserContent = Extract<LanguageModelV4Message, { role: "user" }>["content"];
