export { type CompleteOptions, complete } from "./complete.js";
export type { Completion, CredentialInfo, Timing } from "./completion.js";
