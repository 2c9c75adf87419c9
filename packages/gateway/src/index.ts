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
export {
  type MemoryResponseStoreOptions,
  memoryResponseStore,
} from "./openai/responses/memory-response-store.js";
export type { ResponseItem } from "./openai/responses/response-item.js";
export type { ResponseObject } from "./openai/responses/response-object.js";
export type { ResponseStore, StoredResponse } from "./openai/responses/response-store.js";
