export {
  type AnyCompleteOptions,
  type CallOptions,
  type CompleteOptions,
  complete,
  stream,
  type ValueOf,
} from "./complete.js";
export type { Completion, Timing, ToolCall } from "./completion.js";
export { CallStream, type CompletionStream } from "./completion-stream.js";
export { extractJson, stripFence } from "./parse/extract-json.js";
export {
  type CliAnswer,
  type CliFailure,
  type CliOutput,
  type CliOutputFacts,
  parseCliOutput,
} from "./parse/parse-cli-output.js";
export { leaseRequestFor } from "./plan.js";
