export type { RequestOptions } from "../options/index.js";
export { ControlLine, type ControlListener } from "./control-line.js";
export {
  NO_ANSWER,
  Refusal,
  type RequestContext,
  type RequestHandler,
} from "./incoming-requests.js";
