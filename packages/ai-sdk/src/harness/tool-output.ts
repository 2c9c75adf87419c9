import type { HarnessV1PromptControl, HarnessV1StreamPart } from "@ai-sdk/harness";
import type { CallToolResult, ContentBlock, ToolContent } from "hawser";

export type ToolSubmission = Parameters<HarnessV1PromptControl["submitToolResult"]>[0];

type ResultValue = Extract<HarnessV1StreamPart, { type: "tool-result" }>["result"];

/** The result of a host tool as the CLI gets it. */
export function callToolResult({
  output,
  isError = false,
  toolResult,
}: ToolSubmission): CallToolResult {
  if (isDenial(output)) {
    const reason = output.reason === undefined ? "" : ` ${output.reason}`;
    return { content: [text(`The user denied this call.${reason}`)], isError: true };
  }
  const parts = toolResult?.output.type === "content" ? toolResult.output.value : undefined;
  const content = parts === undefined ? [text(textOf(output))] : parts.map(contentOf);
  return { content, ...(isError ? { isError } : {}) };
}

/** The result of a host tool as the host's own stream shows it. */
export function shownOutput({ output }: ToolSubmission): ResultValue {
  return (output ?? null) as ResultValue;
}

/** The result of a tool of the CLI as a `HarnessAgent` shows it. Commands have the form that all harnesses share. */
export function shownResult(
  shown: string,
  content: string | readonly ContentBlock[],
  isError: boolean,
): ResultValue {
  const value = plain(content);
  if (shown !== "bash" || typeof value !== "string") return value;
  const [, code] = isError ? (/^Exit code (\d+)/.exec(value) ?? []) : [];
  return { exitCode: isError ? Number(code ?? 1) : 0, stdout: value };
}

function plain(content: string | readonly ContentBlock[]): ResultValue {
  if (typeof content === "string") return content;
  const texts = content.map((block) => (block.type === "text" ? block.text : undefined));
  if (texts.every((each) => each !== undefined)) return texts.join("\n");
  return JSON.parse(JSON.stringify(content)) as ResultValue;
}

function isDenial(output: unknown): output is { readonly reason?: string } {
  return (
    typeof output === "object" &&
    output !== null &&
    "type" in output &&
    output.type === "execution-denied"
  );
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}

/** One part of a result. What the CLI cannot show to the model is told as JSON. */
function contentOf(part: object): ToolContent {
  const { type, text: given, data, mediaType } = part as Readonly<Record<string, unknown>>;
  if (type === "text" && typeof given === "string") return text(given);
  const bytes = base64Of(data);
  if (typeof mediaType === "string" && mediaType.startsWith("image/") && bytes !== undefined) {
    return { type: "image", data: bytes, mimeType: mediaType };
  }
  return text(JSON.stringify(part));
}

/** The data of a file: base64 text, or tagged as such. */
function base64Of(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  if (data instanceof Uint8Array) return Buffer.from(data).toString("base64");
  if (typeof data !== "object" || data === null || !("data" in data)) return undefined;
  return base64Of(data.data);
}

function text(value: string): ToolContent {
  return { type: "text", text: value };
}
