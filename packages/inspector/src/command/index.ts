export { type InspectedGateway, inspectGateway } from "../gateway/inspect-gateway.js";
export { type InspectCommand, inspect } from "./inspect.js";
