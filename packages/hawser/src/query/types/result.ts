import type { ResultMessage } from "../../wire/index.js";
import type { BetaUsage } from "./api/message.js";
import type { Official } from "./official.js";
import type { SDKMessageOrigin } from "./user.js";

/** The end of a turn. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

/** The result of a turn that was answered. */
export type SDKResultSuccess = Official<
  Omit<ResultMessage, OfErrors>,
  Result & { subtype: "success"; result: string }
>;

/** The result of a turn that failed or reached a limit. */
export type SDKResultError = Official<
  Omit<ResultMessage, OfSuccess>,
  Result & {
    subtype:
      | "error_during_execution"
      | "error_max_turns"
      | "error_max_budget_usd"
      | "error_max_structured_output_retries";
    errors: string[];
  }
>;

type OfErrors = "errors" | "startup_failure_reason" | "invalid_config_file";

type OfSuccess =
  | "result"
  | "structured_output"
  | "deferred_tool_use"
  | "api_error_status"
  | "local_command"
  | "request_sent_wall_ms"
  | "warm_spare_claimed"
  | `${"ttft" | "time" | "first"}_${string}`;

/** The fields of every result that the wire declares in another way. */
type Result = {
  stop_reason: string | null;
  /** This turn, main loop only. */
  usage: NonNullableUsage;
  permission_denials: SDKPermissionDenial[];
  origin?: SDKMessageOrigin;
};

/** The usage of a turn: the CLI fills every count in. */
export type NonNullableUsage = {
  [K in keyof BetaUsage]: K extends "fallback_credit" ? BetaUsage[K] : NonNullable<BetaUsage[K]>;
};

/** A tool call that was denied. */
export type SDKPermissionDenial = {
  tool_name: string;
  tool_use_id: string;
  tool_input: Record<string, unknown>;
};
