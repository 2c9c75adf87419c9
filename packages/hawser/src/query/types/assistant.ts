import type { UUID } from "node:crypto";
import type { SDKAssistantMessageError } from "../../wire/index.js";
import type { BetaMessage, BetaRawMessageStreamEvent } from "./api/message.js";
import type { SDKContextUsage, SDKUsageReport } from "./context.js";
import type { Answers, FromAgent, Stamp } from "./stamp.js";

/** One block of a reply: a message of several blocks comes as several of these. */
export type SDKAssistantMessage = Stamp &
  Answers &
  FromAgent & {
    type: "assistant";
    message: BetaMessage;
    /** The Agent tool call this comes from, when a sub-agent speaks. */
    parent_tool_use_id: string | null;
    /** Set when the text is an API failure, dressed as a reply. */
    error?: SDKAssistantMessageError;
    request_id?: string;
    resumed_from_incomplete_thinking?: true;
    /** Messages sent earlier that this one replaces. */
    supersedes?: UUID[];
    /** The partial text of an interrupted reply. */
    aborted?: true;
    timestamp?: string;
    context_usage?: SDKContextUsage;
    usage_report?: SDKUsageReport;
  };

/** A raw event of the API; only with `includePartialMessages`. */
export type SDKPartialAssistantMessage = Stamp &
  Answers & {
    type: "stream_event";
    event: BetaRawMessageStreamEvent;
    parent_tool_use_id: string | null;
    ttft_ms?: number;
  };
