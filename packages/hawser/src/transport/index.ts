export { Inbox } from "./inbox.js";
export { MemoryTransport } from "./memory.js";
export { SubprocessTransport } from "./subprocess.js";
export { type Running, SubprocessLine } from "./subprocess-line.js";
export type { CloseOptions, Frames, Transport } from "./transport.js";
