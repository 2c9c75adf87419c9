import { isObject, numberField, objectOf } from "../../base/json.js";

/** A session on disk, as `GET /sessions?stored=1` lists it. */
export interface StoredSession {
  readonly sessionId: string;
  readonly summary: string;
  readonly lastModified: number;
  readonly fileSize?: number;
  readonly customTitle?: string;
  readonly firstPrompt?: string;
  readonly gitBranch?: string;
  readonly cwd?: string;
  readonly tag?: string;
}

/** A message of a transcript. */
export interface TranscriptMessage {
  readonly index: number;
  readonly type: string;
  readonly uuid: string;
  readonly message: unknown;
  readonly parent_tool_use_id?: string | null;
  readonly isCompactSummary?: boolean;
  readonly is_meta?: boolean;
  readonly timestamp?: string;
  /** A compaction or a rewind has left it out, so that the model does not know it any more. */
  readonly isLeftOut?: boolean;
  /** The sub-agent that it belongs to. */
  readonly agentId?: string;
}

/** The tokens of messages of the model. */
export interface Tokens {
  readonly read: number;
  readonly cached: number;
  readonly written: number;
}

/** One thing to show: a part of a message. */
export type Entry = {
  /** The place of its message in the transcript. */
  readonly index: number;
  readonly key: string;
  readonly at: string | undefined;
  /** Whether a sub-agent said or did it. */
  readonly isSubagent: boolean;
  /** Whether the conversation does not contain it any more. */
  readonly isLeftOut: boolean;
} & (
  | { readonly kind: "prompt" | "text" | "thinking" | "note"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly tool: string;
      readonly input: unknown;
      readonly result: { readonly text: string; readonly isError: boolean } | undefined;
    }
  | { readonly kind: "turn_end"; readonly tokens: Tokens; readonly costUsd: number | undefined }
);

export function tokensOf(message: unknown): Tokens | undefined {
  const { usage } = objectOf(message);
  if (!isObject(usage)) return undefined;
  const cached = numberField(usage, "cache_read_input_tokens") ?? 0;
  const created = numberField(usage, "cache_creation_input_tokens") ?? 0;
  const input = numberField(usage, "input_tokens") ?? 0;
  return { read: input + created, cached, written: numberField(usage, "output_tokens") ?? 0 };
}
