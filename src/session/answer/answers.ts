import { Refusal, type RequestHandler } from "../../control/index.js";
import type { Logger } from "../../errors/index.js";
import { numberHooks, type Options } from "../../options/index.js";
import type {
  CanUseToolRequest,
  ElicitationRequest,
  HookCallbackRequest,
  McpMessageRequest,
  UserDialogRequest,
} from "../../wire/index.js";
import { answerHook } from "./hook.js";
import { answerDialog, answerElicitation } from "./interaction.js";
import type { McpServers } from "./mcp.js";
import { answerPermission } from "./permission.js";

/** Answers whatever the CLI asks, by the callbacks of the options. */
export function answers(options: Options, servers: McpServers, log: Logger): RequestHandler {
  const { canUseTool, onElicitation, onUserDialog, rules } = options;
  const { callbacks } = numberHooks(options.hooks ?? {});
  const otherwise = canUseTool === undefined ? "deny" : "ask";
  return async (request, context) => {
    switch (request.subtype) {
      case "can_use_tool":
        return answerPermission(request as CanUseToolRequest, context, canUseTool, log);
      case "hook_callback": {
        const hooks = { callbacks, rules, otherwise } as const;
        return answerHook(request as HookCallbackRequest, context, hooks, log);
      }
      case "mcp_message":
        return servers.answer(request as McpMessageRequest);
      case "elicitation":
        return answerElicitation(request as ElicitationRequest, context, onElicitation, log);
      case "request_user_dialog":
        return answerDialog(request as UserDialogRequest, context, onUserDialog, log);
      default:
        return new Refusal(`Unsupported control request subtype: ${request.subtype}`);
    }
  };
}
