import type { ApiServerToolResult, ApiToolCaller } from "./tool-result.js";

/** A block of a reply, as the Messages API gives it with beta features on. */
export type BetaContentBlock =
  | ApiTextBlock
  | ApiThinkingBlock
  | { type: "redacted_thinking"; data: string }
  | ApiToolUseBlock
  | ApiServerToolUseBlock
  | ApiServerToolResult
  | { type: "mcp_tool_use"; id: string; name: string; server_name: string; input: unknown }
  | {
      type: "mcp_tool_result";
      tool_use_id: string;
      is_error: boolean;
      content: string | ApiTextBlock[];
    }
  | {
      type: "mcp_tool_listing";
      mcp_server_name: string;
      tools: { name: string; input_schema: { [key: string]: unknown }; description?: string }[];
    }
  | { type: "container_upload"; file_id: string }
  | {
      type: "compaction";
      content: string | null;
      encrypted_content: string | null;
      signature?: string | null;
    }
  | {
      type: "fallback";
      from: { model: string };
      to: { model: string };
      trigger: { type: "refusal"; category: ApiRefusalCategory | null };
    };

export type ApiTextBlock = {
  type: "text";
  text: string;
  citations: ApiCitation[] | null;
};

export type ApiThinkingBlock = {
  type: "thinking";
  thinking: string;
  signature: string;
};

export type ApiToolUseBlock = {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
  caller?: ApiToolCaller;
  toolset_name?: string | null;
};

/** A tool that the API runs itself. */
export type ApiServerToolUseBlock = {
  type: "server_tool_use";
  id: string;
  name:
    | "advisor"
    | "web_search"
    | "web_fetch"
    | "code_execution"
    | "bash_code_execution"
    | "text_editor_code_execution"
    | "tool_search_tool_regex"
    | "tool_search_tool_bm25";
  input: { [key: string]: unknown };
  caller?: ApiToolCaller;
};

export type ApiRefusalCategory =
  | "cyber"
  | "bio"
  | "frontier_llm"
  | "reasoning_extraction"
  | "general_harms";

type InDocument = {
  cited_text: string;
  document_index: number;
  document_title: string | null;
  file_id: string | null;
};

/** Where a piece of text comes from. */
export type ApiCitation =
  | (InDocument & { type: "char_location"; start_char_index: number; end_char_index: number })
  | (InDocument & { type: "page_location"; start_page_number: number; end_page_number: number })
  | (InDocument & {
      type: "content_block_location";
      start_block_index: number;
      end_block_index: number;
    })
  | ApiSearchCitation;

/** The two kinds that look the same in a reply and in a prompt. */
export type ApiSearchCitation =
  | {
      type: "web_search_result_location";
      cited_text: string;
      encrypted_index: string;
      title: string | null;
      url: string;
    }
  | {
      type: "search_result_location";
      cited_text: string;
      source: string;
      title: string | null;
      search_result_index: number;
      start_block_index: number;
      end_block_index: number;
    };
