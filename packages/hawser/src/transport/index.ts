export { Inbox } from "./inbox.js";
export { MemoryTransport } from "./memory.js";
export type { Running } from "./running.js";
export { SubprocessTransport } from "./subprocess.js";
export { SubprocessLine } from "./subprocess-line.js";
export type { CloseOptions, Frames, Transport } from "./transport.js";
