// Official values are assignable to our types, and values that a consumer reads from ours to official types.
import type * as theirs from "@anthropic-ai/claude-agent-sdk";
import type { MessageParam } from "@anthropic-ai/sdk/resources";
import type {
  BetaContentBlock,
  BetaMessage,
} from "@anthropic-ai/sdk/resources/beta/messages/messages.mjs";
import type * as ours from "../../packages/hawser/src/index.js";

declare function given<T>(): T;

// Values that a consumer passes in.
export const options: ours.Options = given<theirs.Options>();
export const hooks: ours.Options["hooks"] = given<NonNullable<theirs.Options["hooks"]>>();
export const canUseTool: ours.CanUseTool = given<theirs.CanUseTool>();
export const onElicitation: ours.OnElicitation = given<theirs.OnElicitation>();
export const onUserDialog: ours.OnUserDialog = given<theirs.OnUserDialog>();
export const agent: ours.AgentDefinition = given<theirs.AgentDefinition>();
export const server: ours.McpServerConfig = given<theirs.McpServerConfig>();
export const prompt: ours.SDKUserMessage = given<theirs.SDKUserMessage>();
export const body: ours.SDKUserMessage["message"] = given<MessageParam>();
export const settings: ours.Settings = given<theirs.Settings>();
export const callback: ours.HookCallback = given<theirs.HookCallback>();
export const result: ours.PermissionResult = given<theirs.PermissionResult>();
export const update: ours.PermissionUpdate = given<theirs.PermissionUpdate>();

// Values that a consumer gets.
export const query: theirs.Query = given<ours.Query>();
export const message: theirs.SDKMessage = given<ours.SDKMessage>();
export const success: theirs.SDKResultSuccess = given<ours.SDKResultSuccess>();
export const failure: theirs.SDKResultError = given<ours.SDKResultError>();
export const assistant: theirs.SDKAssistantMessage = given<ours.SDKAssistantMessage>();
export const partial: theirs.SDKPartialAssistantMessage = given<ours.SDKPartialAssistantMessage>();
export const system: theirs.SDKSystemMessage = given<ours.SDKSystemMessage>();
export const input: theirs.HookInput = given<ours.HookInput>();
export const reply: BetaMessage = given<ours.SDKAssistantMessage["message"]>();
export const blocks: BetaContentBlock[] = given<ours.SDKAssistantMessage>().message.content;
export const sent: MessageParam = given<ours.SDKUserMessage>().message;
