import type { SDKControlRequest, SDKControlResponse } from "./control-request.js";
import type { SDKActiveGoalMessage, SDKMessage } from "./message.js";

/** The official SDK's `Transport`. Hawser's own `Transport` is another interface. */
export interface SDKTransport {
  write(data: string): void | Promise<void>;
  close(): void;
  isReady(): boolean;
  readMessages(): AsyncGenerator<SDKTransportMessage, void, unknown>;
  expectControlResponse?(requestId: string): void;
  markDelivered?(message: object): void;
  endInput(): void;
  waitForExit?(): Promise<void>;
  [Symbol.dispose]?(): void;
}

/** A line that a transport carries. */
export type SDKTransportMessage =
  | SDKMessage
  | SDKActiveGoalMessage
  | SDKControlResponse
  | SDKControlRequest
  | { type: "control_cancel_request"; request_id: string }
  | { type: "keep_alive" };
