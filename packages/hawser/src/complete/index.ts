export { type AnyCompleteOptions, type CompleteOptions, complete, stream } from "./complete.js";
export type { Completion, Timing } from "./completion.js";
export { extractJson, stripFence } from "./extract-json.js";
export {
  type CliAnswer,
  type CliFailure,
  type CliOutput,
  type CliOutputFacts,
  parseCliOutput,
} from "./parse-cli-output.js";
export { requestOf } from "./request.js";
export type { CompletionStream } from "./stream.js";
