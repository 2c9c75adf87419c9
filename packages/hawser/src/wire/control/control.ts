import type { JsonObject, Open } from "../open.js";
import type { CliRequest } from "./cli-request.js";

/** A control request of either side. Each side chooses its own ids. */
export interface ControlRequest<Request extends RequestBody = CliRequest> {
  readonly type: "control_request";
  readonly request_id: string;
  readonly request: Request;
}

/** What every control request has. */
export interface RequestBody {
  readonly subtype: string;
}

/** The answer to a control request. Its id is inside `response`, unlike the id of a request. */
export interface ControlResponse {
  readonly type: "control_response";
  readonly response: ControlSuccess | ControlFailure;
}

/** The successful answer to a control request. */
export interface ControlSuccess {
  readonly subtype: "success";
  readonly request_id: string;
  /** The payload; absent for a plain acknowledgement. */
  readonly response?: JsonObject;
  /** Requests of the CLI that still wait; on the answer to `initialize`. */
  readonly pending_permission_requests?: readonly unknown[];
  readonly pending_user_dialog_requests?: readonly unknown[];
}

/** The answer to a control request that was refused or failed. */
export interface ControlFailure {
  readonly subtype: "error";
  readonly request_id: string;
  readonly error: string;
  readonly error_code?: Open<
    "unsupported_request" | "invalid_request" | "invalid_mode" | "bypass_not_launched"
  >;
}

/** The sender no longer waits for an answer to its request, so the work on it can stop. */
export interface ControlCancelRequest {
  readonly type: "control_cancel_request";
  readonly request_id: string;
}

/** A request with a subtype that hawser does not know. */
export interface UnknownRequest extends JsonObject {
  readonly subtype: string;
}
