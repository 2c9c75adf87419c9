export type { McpSdkServerConfig } from "../wire/index.js";
export {
  type CreateSdkMcpServerOptions,
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  type ToolServerConfig,
} from "./create-server.js";
export type { AnyZodRawShape, InferInput, InferShape, ToolInputSchema } from "./infer.js";
export { type LinkOptions, linkServer, type McpLink } from "./link.js";
export type {
  AudioContent,
  CallToolResult,
  ContentAnnotations,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
  ToolContent,
} from "./result.js";
export {
  type AnyToolDefinition,
  type SdkMcpToolDefinition,
  type ToolAnnotations,
  type ToolExtra,
  type ToolExtras,
  type ToolNotification,
  type ToolProgressUpdate,
  tool,
} from "./tool.js";
export { ToolServer } from "./tool-server.js";
export type { ConnectableServer, McpTransport, ServerAnswer, ServerMessage } from "./transport.js";
