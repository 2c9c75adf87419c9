export type { AgentDefinition, AgentDefinitions } from "./agents/agent-definition.js";
export type {
  Answer,
  AnswerEnd,
  AnswerEvent,
  AnswerStart,
  BlockDelta,
  StopReason,
} from "./answer/answer.js";
export type { ModelRequest } from "./answer/model-request.js";
export { createGateway, type Gateway, type GatewayOptions, type TenantSource } from "./gateway.js";
