// Every type of this layer is public; src/index.ts lists them by name.
export type * from "./control/cli-request.js";
export type * from "./control/control.js";
export type * from "./control/host-payload.js";
export type * from "./control/host-request.js";
export type * from "./control/mcp.js";
export type * from "./control/permission.js";
export { copyContent } from "./copy-content.js";
export { decodeLine, type Frame } from "./framing/decode-line.js";
export { encodeLine } from "./framing/encode-line.js";
export {
  type EventBatch,
  FrameDecoder,
  type FrameDecoderOptions,
  type ReceivedFrame,
  sizeOf,
} from "./framing/frame-decoder.js";
export {
  type BrokenLine,
  type FramedLine,
  LineFramer,
  type LineFramerOptions,
  type OverlongLine,
} from "./framing/line-framer.js";
export type * from "./hook/base-hook-input.js";
export type * from "./hook/hook-input.js";
export type * from "./hook/hook-input-environment.js";
export type * from "./hook/hook-input-session.js";
export type * from "./hook/hook-input-tool.js";
export type * from "./hook/hook-output.js";
export { type JoinedMessage, joinMessages, saysNothing } from "./join-messages.js";
export type * from "./message/assistant.js";
export * from "./message/content.js";
export type * from "./message/event.js";
export type * from "./message/history.js";
export type * from "./message/host-notice.js";
export * from "./message/message.js";
export type * from "./message/result.js";
export type * from "./message/stream-event.js";
export type * from "./message/system.js";
export type * from "./message/system-init.js";
export type * from "./message/system-notice.js";
export type * from "./message/system-state.js";
export type * from "./message/system-task.js";
export type * from "./message/usage.js";
export type * from "./message/user.js";
export type * from "./open.js";
export * from "./outbound.js";
