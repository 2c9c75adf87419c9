export type {
  Answer,
  AnswerEnd,
  AnswerEvent,
  AnswerStart,
  BlockDelta,
  StopReason,
  WholeAnswer,
} from "./answer.js";
export { isForced } from "./answer-completion.js";
export { type AnswerRequestOptions, answerRequest, type RunningAnswer } from "./answer-request.js";
export { appendSystemPrompt } from "./append-system-prompt.js";
export {
  blockEvents,
  type MessageEnd,
  MessageReader,
  type MessageReaderOptions,
} from "./message-reader.js";
export type { ModelRequest } from "./model-request.js";
export { shownName } from "./renamed-tools.js";
export { wholeAnswer } from "./whole-answer.js";
