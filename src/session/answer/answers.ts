import { Refusal, type RequestHandler } from "../../control/index.js";
import type { Logger, ReportFault } from "../../errors/index.js";
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
import type { PermissionContext } from "./permission-context.js";
import { PolicyJudge } from "./policy-judge.js";

/**
 * Answers whatever the CLI asks, by the callbacks of the options. `context` gives what the policy
 * must know of the session at the time of a call.
 */
export function answers(
  options: Options,
  servers: McpServers,
  log: Logger,
  report: ReportFault,
  context: () => PermissionContext,
): RequestHandler {
  const { canUseTool, onElicitation, onUserDialog, rules } = options;
  const { callbacks } = numberHooks(options.hooks ?? {});
  const otherwise = canUseTool === undefined ? "deny" : "ask";
  const judge = rules && new PolicyJudge(rules, otherwise, context);
  return async (request, context) => {
    switch (request.subtype) {
      case "can_use_tool":
        return answerPermission(
          request as CanUseToolRequest,
          context,
          canUseTool,
          judge,
          log,
          report,
        );
      case "hook_callback": {
        const hooks = { callbacks, judge };
        return answerHook(request as HookCallbackRequest, context, hooks, log, report);
      }
      case "mcp_message":
        return servers.answer(request as McpMessageRequest);
      case "elicitation":
        return answerElicitation(request as ElicitationRequest, context, onElicitation, report);
      case "request_user_dialog":
        return answerDialog(request as UserDialogRequest, context, onUserDialog, report);
      default:
        return new Refusal(`Unsupported control request subtype: ${request.subtype}`);
    }
  };
}
