/** The caller of a tool: the model, or code that the model wrote. */
export type ApiToolCaller =
  | { type: "direct" }
  | { type: "code_execution_20250825"; tool_id: string }
  | { type: "code_execution_20260120"; tool_id: string };

type Result<Type extends string, Content> = {
  type: Type;
  tool_use_id: string;
  content: Content;
};

type Called = { caller?: ApiToolCaller };

/** The result of a tool that the API runs itself. */
export type ApiServerToolResult =
  | (Result<"web_search_tool_result", ApiWebSearchError | WebSearchHit[]> & Called)
  | (Result<"web_fetch_tool_result", ApiWebFetchError | WebFetched> & Called)
  | Result<"advisor_tool_result", AdvisorContent>
  | Result<"code_execution_tool_result", ApiCodeError | ApiCodeOutput>
  | Result<"bash_code_execution_tool_result", ApiBashError | ApiBashOutput>
  | Result<
      "text_editor_code_execution_tool_result",
      | (ApiEditorError & { error_message: string | null })
      | EditorView
      | ApiEditorCreate
      | EditorDiff
    >
  | Result<
      "tool_search_tool_result",
      (ApiToolSearchError & { error_message: string | null }) | ToolsFound
    >;

type Failure<Type extends string, Code extends string> = { type: Type; error_code: Code };

type Common = "invalid_tool_input" | "unavailable" | "too_many_requests";

export type ApiWebSearchError = Failure<
  "web_search_tool_result_error",
  Common | "max_uses_exceeded" | "query_too_long" | "request_too_large"
>;

type WebSearchHit = {
  type: "web_search_result";
  title: string;
  url: string;
  encrypted_content: string;
  page_age: string | null;
};

export type ApiWebFetchError = Failure<
  "web_fetch_tool_result_error",
  | Common
  | "url_too_long"
  | "url_not_allowed"
  | "url_not_in_prior_context"
  | "url_not_accessible"
  | "unsupported_content_type"
  | "max_uses_exceeded"
  | "content_too_large"
>;

type WebFetched = {
  type: "web_fetch_result";
  url: string;
  retrieved_at: string | null;
  content: {
    type: "document";
    title: string | null;
    citations: { enabled: boolean } | null;
    source:
      | { type: "base64"; media_type: "application/pdf"; data: string }
      | { type: "text"; media_type: "text/plain"; data: string };
  };
};

type AdvisorContent =
  | Failure<
      "advisor_tool_result_error",
      | "max_uses_exceeded"
      | "prompt_too_long"
      | "too_many_requests"
      | "overloaded"
      | "unavailable"
      | "execution_time_exceeded"
      | "model_not_found"
    >
  | { type: "advisor_result"; text: string; stop_reason: string | null }
  | { type: "advisor_redacted_result"; encrypted_content: string; stop_reason: string | null };

export type ApiCodeError = Failure<
  "code_execution_tool_result_error",
  Common | "execution_time_exceeded"
>;

type CodeFiles = { type: "code_execution_output"; file_id: string }[];

export type ApiCodeOutput =
  | {
      type: "code_execution_result";
      content: CodeFiles;
      return_code: number;
      stderr: string;
      stdout: string;
    }
  | {
      type: "encrypted_code_execution_result";
      content: CodeFiles;
      return_code: number;
      stderr: string;
      encrypted_stdout: string;
    };

export type ApiBashError = Failure<
  "bash_code_execution_tool_result_error",
  Common | "execution_time_exceeded" | "output_file_too_large"
>;

export type ApiBashOutput = {
  type: "bash_code_execution_result";
  content: { type: "bash_code_execution_output"; file_id: string }[];
  return_code: number;
  stderr: string;
  stdout: string;
};

export type ApiEditorError = Failure<
  "text_editor_code_execution_tool_result_error",
  Common | "execution_time_exceeded" | "file_not_found"
>;

type EditorView = {
  type: "text_editor_code_execution_view_result";
  content: string;
  file_type: "text" | "image" | "pdf";
  num_lines: number | null;
  start_line: number | null;
  total_lines: number | null;
};

export type ApiEditorCreate = {
  type: "text_editor_code_execution_create_result";
  is_file_update: boolean;
};

type EditorDiff = {
  type: "text_editor_code_execution_str_replace_result";
  lines: string[] | null;
  new_lines: number | null;
  new_start: number | null;
  old_lines: number | null;
  old_start: number | null;
};

export type ApiToolSearchError = Failure<
  "tool_search_tool_result_error",
  Common | "execution_time_exceeded"
>;

type ToolsFound = {
  type: "tool_search_tool_search_result";
  tool_references: { type: "tool_reference"; tool_name: string }[];
};
