export { Inbox } from "./inbox.js";
export { MemoryTransport } from "./memory-transport.js";
export { type RunningProcess, SubprocessLine } from "./subprocess-line.js";
export { SubprocessTransport } from "./subprocess-transport.js";
export type { CloseOptions, FrameReceiver, Frames, Line, Transport } from "./transport.js";
