import type {
  LanguageModelV3DataContent,
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4FileData,
} from "@ai-sdk/provider";

/** A prompt of `ai` 6 as one of `ai` 7. They differ in how they hold the data of files. */
export function promptFromV3(prompt: LanguageModelV3Prompt): LanguageModelV4Prompt {
  return prompt.map(messageFromV3);
}

function messageFromV3(message: LanguageModelV3Message): LanguageModelV4Message {
  switch (message.role) {
    case "system":
      return message;
    case "user":
      return {
        ...message,
        content: message.content.map((part) => (part.type === "file" ? fileFromV3(part) : part)),
      };
    case "assistant":
      return {
        ...message,
        content: message.content.map((part) => {
          if (part.type === "file") return fileFromV3(part);
          return part.type === "tool-result" ? resultFromV3(part) : part;
        }),
      };
    case "tool":
      return {
        ...message,
        content: message.content.map((part) => {
          return part.type === "tool-result" ? resultFromV3(part) : part;
        }),
      };
  }
}

function fileFromV3({ data, ...part }: LanguageModelV3FilePart): LanguageModelV4FilePart {
  return { ...part, data: dataFromV3(data) };
}

function dataFromV3(data: LanguageModelV3DataContent): SharedV4FileData {
  return data instanceof URL ? { type: "url", url: data } : { type: "data", data };
}

function resultFromV3({
  output,
  ...part
}: LanguageModelV3ToolResultPart): LanguageModelV4ToolResultPart {
  return { ...part, output: outputFromV3(output) };
}

function outputFromV3(output: LanguageModelV3ToolResultOutput): LanguageModelV4ToolResultOutput {
  if (output.type !== "content") return output;
  return { type: "content", value: output.value.map(itemFromV3) };
}

function itemFromV3(item: ItemV3): ItemV4 {
  switch (item.type) {
    case "text":
    case "custom":
      return item;
    case "file-data":
    case "image-data": {
      const { data, ...rest } = item;
      return { ...rest, type: "file", data: { type: "data", data } };
    }
    case "file-url":
      return { type: "file", mediaType: "application/octet-stream", data: urlData(item.url) };
    case "image-url":
      return { type: "file", mediaType: "image", data: urlData(item.url) };
    case "file-id":
    case "image-file-id": {
      const reference = typeof item.fileId === "string" ? { hawser: item.fileId } : item.fileId;
      const mediaType = item.type === "file-id" ? "application/octet-stream" : "image";
      return { type: "file", mediaType, data: { type: "reference", reference } };
    }
  }
}

function urlData(url: string): SharedV4FileData {
  return { type: "url", url: new URL(url) };
}

type ItemV3 = Extract<LanguageModelV3ToolResultOutput, { type: "content" }>["value"][number];
type ItemV4 = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];
