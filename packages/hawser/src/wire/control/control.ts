import type { JsonObject, Open } from "../open.js";
import type { CliRequest } from "./cli-request.js";

/** A request of either side; each side chooses its own ids. */
export interface ControlRequest<Request extends RequestBody = CliRequest> {
  readonly type: "control_request";
  readonly request_id: string;
  readonly request: Request;
}

export interface RequestBody {
  readonly subtype: string;
}

/** The answer to a request of the other side. Its id lies inside `response`, unlike a request's. */
export interface ControlResponse {
  readonly type: "control_response";
  readonly response: ControlSuccess | ControlFailure;
}

export interface ControlSuccess {
  readonly subtype: "success";
  readonly request_id: string;
  /** The payload; absent for a plain acknowledgement. */
  readonly response?: JsonObject;
  /** Requests of the CLI that still wait; on the answer to `initialize`. */
  readonly pending_permission_requests?: readonly unknown[];
  readonly pending_user_dialog_requests?: readonly unknown[];
}

export interface ControlFailure {
  readonly subtype: "error";
  readonly request_id: string;
  readonly error: string;
  readonly error_code?: Open<
    "unsupported_request" | "invalid_request" | "invalid_mode" | "bypass_not_launched"
  >;
}

/** The sender no longer waits for an answer: stop working on it. */
export interface ControlCancelRequest {
  readonly type: "control_cancel_request";
  readonly request_id: string;
}

/** A request whose subtype is not known here. */
export interface UnknownRequest extends JsonObject {
  readonly subtype: string;
}
