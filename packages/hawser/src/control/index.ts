export type { RequestOptions } from "../options/index.js";
export { type ControlEvents, ControlLine } from "./control-line.js";
export {
  NO_ANSWER,
  Refusal,
  type RequestContext,
  type RequestHandler,
} from "./incoming-requests.js";
