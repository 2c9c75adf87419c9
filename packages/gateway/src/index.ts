export type { Answer, AnswerEvent } from "./answer/answer.js";
export type { ModelRequest } from "./answer/model-request.js";
