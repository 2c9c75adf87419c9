export type { RequestOptions } from "../options/index.js";
export { abortedBy } from "./aborted-by.js";
export { type ControlEvents, ControlLine } from "./control-line.js";
export { NO_ANSWER, type RequestContext, type RequestHandler } from "./incoming.js";
