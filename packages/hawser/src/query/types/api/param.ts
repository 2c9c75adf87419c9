import type { ApiSearchCitation, ApiThinkingBlock } from "./block.js";
import type {
  ApiBashError,
  ApiBashOutput,
  ApiCodeError,
  ApiCodeOutput,
  ApiEditorCreate,
  ApiEditorError,
  ApiToolCaller,
  ApiToolSearchError,
  ApiWebFetchError,
  ApiWebSearchError,
} from "./tool-result.js";

/** A message as it is sent to the Messages API; the shape is the API's. */
export type MessageParam =
  | { role: "user"; content: string | ContentBlockParam[] }
  | { role: "assistant"; content: string | ContentBlockParam[] }
  | { role: "system"; content: string | TextBlockParam[] };

/** A block of a message that is sent to the API. */
export type ContentBlockParam =
  | TextBlockParam
  | ImageBlockParam
  | DocumentBlockParam
  | SearchResultBlockParam
  | ApiThinkingBlock
  | { type: "redacted_thinking"; data: string }
  | ToolUseBlockParam
  | ToolResultBlockParam
  | ServerToolUseBlockParam
  | ServerToolResultParam
  | (Cached & { type: "container_upload"; file_id: string });

type Cached = { cache_control?: { type: "ephemeral"; ttl?: "5m" | "1h" } | null };

/** A block of text. */
export type TextBlockParam = Cached & {
  type: "text";
  text: string;
  citations?: (DocumentCitationParam | ApiSearchCitation)[] | null;
};

type InDocument = { cited_text: string; document_index: number; document_title: string | null };

type DocumentCitationParam =
  | (InDocument & { type: "char_location"; start_char_index: number; end_char_index: number })
  | (InDocument & { type: "page_location"; start_page_number: number; end_page_number: number })
  | (InDocument & {
      type: "content_block_location";
      start_block_index: number;
      end_block_index: number;
    });

/** An image. */
export type ImageBlockParam = Cached & {
  type: "image";
  source:
    | {
        type: "base64";
        media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
        data: string;
      }
    | { type: "url"; url: string }
    | { type: "file"; file_id: string };
  transformations?: { oversized_image?: "downsize" | "error" } | null;
};

/** A document: a PDF or a text. */
export type DocumentBlockParam = Cached & {
  type: "document";
  source:
    | { type: "base64"; media_type: "application/pdf"; data: string }
    | { type: "text"; media_type: "text/plain"; data: string }
    | { type: "content"; content: string | (TextBlockParam | ImageBlockParam)[] }
    | { type: "url"; url: string }
    | { type: "file"; file_id: string };
  title?: string | null;
  context?: string | null;
  citations?: { enabled?: boolean } | null;
};

type SearchResultBlockParam = Cached & {
  type: "search_result";
  title: string;
  source: string;
  content: TextBlockParam[];
  citations?: { enabled?: boolean };
};

/** A tool call of an earlier reply. */
export type ToolUseBlockParam = Cached & {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
  caller?: ApiToolCaller;
  toolset_name?: string | null;
};

/** The result of a tool call. */
export type ToolResultBlockParam = Cached & {
  type: "tool_result";
  tool_use_id: string;
  content?:
    | string
    | (
        | TextBlockParam
        | ImageBlockParam
        | SearchResultBlockParam
        | DocumentBlockParam
        | ToolReferenceParam
        | BrowserStateParam
      )[];
  is_error?: boolean;
  toolset_name?: string | null;
};

type ToolReferenceParam = Cached & { type: "tool_reference"; tool_name: string };

type BrowserStateParam = Cached & {
  type: "browser_state";
  tabs: { tab_id: string; title: string; url: string; active?: boolean }[];
  state_changes?:
    | (
        | { type: "tab_opened"; tab_id: string }
        | { type: "download_started"; download_id: string; url: string }
        | {
            type: "download_completed";
            download_id: string;
            url: string;
            path?: string | null;
            size_bytes?: number | null;
          }
        | { type: "download_failed"; download_id: string; url: string; error?: string | null }
      )[]
    | null;
};

type ServerToolUseBlockParam = Cached & {
  type: "server_tool_use";
  id: string;
  name:
    | "web_search"
    | "web_fetch"
    | "code_execution"
    | "bash_code_execution"
    | "text_editor_code_execution"
    | "tool_search_tool_regex"
    | "tool_search_tool_bm25";
  input: unknown;
  caller?: ApiToolCaller;
};

type ResultParam<Type extends string, Content> = Cached & {
  type: Type;
  tool_use_id: string;
  content: Content;
};

type Called = { caller?: ApiToolCaller };

type ServerToolResultParam =
  | (ResultParam<"web_search_tool_result", ApiWebSearchError | WebSearchHitParam[]> & Called)
  | (ResultParam<"web_fetch_tool_result", ApiWebFetchError | WebFetchedParam> & Called)
  | ResultParam<"code_execution_tool_result", ApiCodeError | ApiCodeOutput>
  | ResultParam<"bash_code_execution_tool_result", ApiBashError | ApiBashOutput>
  | ResultParam<
      "text_editor_code_execution_tool_result",
      | (ApiEditorError & { error_message?: string | null })
      | EditorViewParam
      | ApiEditorCreate
      | EditorDiffParam
    >
  | ResultParam<
      "tool_search_tool_result",
      (ApiToolSearchError & { error_message?: string | null }) | ToolsFoundParam
    >;

type WebSearchHitParam = {
  type: "web_search_result";
  title: string;
  url: string;
  encrypted_content: string;
  page_age?: string | null;
};

type WebFetchedParam = {
  type: "web_fetch_result";
  url: string;
  content: DocumentBlockParam;
  retrieved_at?: string | null;
};

type EditorViewParam = {
  type: "text_editor_code_execution_view_result";
  content: string;
  file_type: "text" | "image" | "pdf";
  num_lines?: number | null;
  start_line?: number | null;
  total_lines?: number | null;
};

type EditorDiffParam = {
  type: "text_editor_code_execution_str_replace_result";
  lines?: string[] | null;
  new_lines?: number | null;
  new_start?: number | null;
  old_lines?: number | null;
  old_start?: number | null;
};

type ToolsFoundParam = {
  type: "tool_search_tool_search_result";
  tool_references: ToolReferenceParam[];
};
