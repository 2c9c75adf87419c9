export { type CompleteOptions, complete } from "./complete.js";
export type { Completion, CredentialInfo, Stop, Timing } from "./completion.js";
export type { Timeouts } from "./limits.js";
