export { abortedBy } from "./aborted-by.js";
export { type ControlEvents, ControlLine } from "./control-line.js";
export { NO_ANSWER, type RequestContext, type RequestHandler } from "./incoming.js";
export type { RequestOptions } from "./outgoing.js";
