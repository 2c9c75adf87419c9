export type { McpSdkServerConfig } from "../wire/index.js";
export {
  type CreateSdkMcpServerOptions,
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  type ToolServerConfig,
} from "./create-sdk-mcp-server.js";
export type { AnyZodRawShape, InferInput, InferShape, ToolInputSchema } from "./infer-input.js";
export { type LinkOptions, linkServer, type McpLink } from "./link-server.js";
export type {
  ConnectableServer,
  McpTransport,
  ServerAnswer,
  ServerMessage,
} from "./mcp-transport.js";
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
export type {
  AudioContent,
  CallToolResult,
  ContentAnnotations,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
  ToolContent,
} from "./tool-result.js";
export { ToolServer } from "./tool-server.js";
