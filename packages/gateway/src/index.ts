export type {
  Answer,
  AnswerEnd,
  AnswerEvent,
  AnswerStart,
  BlockDelta,
  ModelRequest,
  StopReason,
} from "hawser/answer";
export type { AgentDefinition, AgentDefinitions } from "./agents/agent-definition.js";
export type { HostedTools } from "./body/hosted-tools.js";
export {
  type AgentConfig,
  defineConfig,
  type FleetConfig,
  type GatewayConfig,
  type ListenConfig,
  type PoolConfig,
  type TenantConfig,
} from "./config/index.js";
export type {
  FleetDocuments,
  FleetOutcome,
  FleetQuestion,
  FleetQuestionChange,
  FleetQuestionRecord,
  FleetQuestions,
  FleetRun,
  FleetRunEvent,
  FleetRunFilter,
  FleetRunInfo,
  FleetRunOptions,
  FleetRunRequest,
  FleetRunState,
  FleetState,
  FleetTenants,
  GatewayFleet,
} from "./fleet/gateway-fleet.js";
export {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GatewaySettings,
  type TenantSource,
} from "./gateway.js";
export type { AccessEntry } from "./http/access-log.js";
export {
  GATEWAY_CHANNELS,
  type GatewayChannels,
  type TracedRequest,
} from "./http/gateway-channels.js";
export type { HttpOptions } from "./http/http-options.js";
export type { Readiness } from "./http/operation-routes.js";
export type {
  RequestChannels,
  RequestEndEvent,
  RequestStartEvent,
  RequestTokens,
} from "./http/request-events.js";
export type { NativeAgent } from "./native/api-sessions.js";
export {
  createNativeApi,
  type NativeApi,
  type NativeApiOptions,
} from "./native/create-native-api.js";
export type { EventLogOptions } from "./native/event-log.js";
export {
  type ErrorShape,
  type EventHead,
  type EventKind,
  type EventOf,
  eventSchema,
  type NativeEvent,
  type TokensShape,
} from "./native/event-shape.js";
export {
  type EndedTurn,
  type LiveCall,
  type LiveRequest,
  type LiveSession,
  LiveState,
  type LiveTool,
  type LiveTurn,
  type Snapshot,
} from "./native/live-state.js";
export type { NativeAccess, NativeEnv } from "./native/native-access.js";
export {
  type MemoryResponseStoreOptions,
  memoryResponseStore,
} from "./openai/responses/memory-response-store.js";
export type { ResponseItem } from "./openai/responses/response-item.js";
export type { ResponseObject } from "./openai/responses/response-object.js";
export type { ResponseStore, StoredResponse } from "./openai/responses/response-store.js";
export type { Admission, RateLimit, RateLimits, Tenant, Used } from "./tenants/tenant.js";
