import {
  HarnessCapabilityUnsupportedError,
  type HarnessV1CallWarning,
  type HarnessV1Prompt,
} from "@ai-sdk/harness";
import type { LanguageModelV4FilePart, SharedV4FileData } from "@ai-sdk/provider";
import type { Prompt } from "hawser";
import { CallWarnings } from "../call-warnings.js";
import { userBlocks } from "../prompt/index.js";

type UserContent = Exclude<Exclude<HarnessV1Prompt, string>["content"], string>;
type UserPart = UserContent[number];

/** The prompt of a turn for the CLI. A file that the model cannot read is left out with a warning. */
export function promptOf(prompt: HarnessV1Prompt): {
  readonly prompt: Prompt;
  readonly warnings: readonly HarnessV1CallWarning[];
} {
  const content = typeof prompt === "string" ? prompt : prompt.content;
  if (typeof content === "string") return { prompt: content, warnings: [] };
  const collected = new CallWarnings();
  const blocks = userBlocks(content.map(modelPart), collected);
  const warnings = collected.list.map((warning): HarnessV1CallWarning => {
    if (!("feature" in warning)) return { type: "other", message: JSON.stringify(warning) };
    const { feature: setting, details } = warning;
    return { type: "unsupported-setting", setting, ...(details === undefined ? {} : { details }) };
  });
  if (blocks.length > 0) return { prompt: [...blocks], warnings };
  throw new HarnessCapabilityUnsupportedError({
    harnessId: "hawser",
    message: "The prompt has nothing that the model can read. Files must be images, PDF or text.",
  });
}

/** A part of a message of the AI SDK as a model gets it. */
function modelPart(part: UserPart): { type: "text"; text: string } | LanguageModelV4FilePart {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") {
    return { type: "file", data: fileData(part.image), mediaType: part.mediaType ?? "image/*" };
  }
  const { data, mediaType, filename } = part;
  const name = filename === undefined ? {} : { filename };
  return { type: "file", data: fileData(data), mediaType, ...name };
}

type FileContent = Extract<UserPart, { type: "file" }>["data"];

function fileData(data: FileContent): SharedV4FileData {
  if (data instanceof URL) return { type: "url", url: data };
  if (typeof data === "string") {
    return URL.canParse(data) ? { type: "url", url: new URL(data) } : { type: "data", data };
  }
  if (data instanceof Uint8Array) return { type: "data", data };
  if (data instanceof ArrayBuffer) return { type: "data", data: new Uint8Array(data) };
  if (!("type" in data)) return { type: "reference", reference: data as never };
  const tagged = data as { readonly type: string; readonly data?: unknown };
  if (tagged.type === "data" && tagged.data instanceof ArrayBuffer) {
    return { type: "data", data: new Uint8Array(tagged.data) };
  }
  return data as SharedV4FileData;
}
