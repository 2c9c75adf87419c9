import { type Logger, omitUndefined, type ReportFault } from "../../base/index.js";
import { Refusal, type RequestHandler } from "../../control/index.js";
import { numberHooks, type Options } from "../../options/index.js";
import type {
  CanUseToolRequest,
  ElicitationRequest,
  HookCallbackRequest,
  McpMessageRequest,
  UserDialogRequest,
} from "../../wire/index.js";
import type { Observation } from "../observe/observation.js";
import { observeRequests } from "../observe/observe-requests.js";
import type { AnnouncedSession } from "./announced-session.js";
import { answerHook } from "./answer-hook.js";
import { answerDialog, answerElicitation } from "./answer-interaction.js";
import { answerPermission } from "./answer-permission.js";
import { Deferrals } from "./deferrals.js";
import type { HostMcpServers } from "./host-mcp-servers.js";
import { inCallerContext } from "./in-caller-context.js";
import type { PermissionContext } from "./permission-context.js";
import { PolicyJudge } from "./policy-judge.js";

/** The parts of a session that its request handler needs. */
export interface RequestHandlerParts {
  /** The callbacks, hooks and rules of the caller. */
  readonly options: Options;
  readonly servers: HostMcpServers;
  readonly log: Logger;
  readonly report: ReportFault;
  /** What the policy must know about the session at the time of a tool call. */
  readonly permissionContext: () => PermissionContext;
  /** What the callbacks are told about the session that asks. */
  readonly announced: AnnouncedSession;
  readonly cliVersion: () => string | undefined;
  readonly observation: Observation;
}

/** Answers the requests of the CLI with the callbacks of the options. */
export function createRequestHandler(parts: RequestHandlerParts): RequestHandler {
  const { options, servers, log, report, permissionContext, announced } = parts;
  const { canUseTool, onElicitation, onUserDialog, rules } = options;
  const { callbacks } = numberHooks(options.hooks ?? {});
  const otherwise = canUseTool === undefined ? "deny" : "ask";
  const judge = rules && new PolicyJudge(rules, otherwise, permissionContext);
  const permissions = { canUseTool, judge, log, report, announced };
  const deferrals = new Deferrals(announced, parts.cliVersion);
  // Before its first turn, the CLI asks only about a call that was deferred.
  const insteadOfDefer = () => (announced.sessionId === undefined ? otherwise : undefined);
  const hooks = { callbacks, judge, deferrals, insteadOfDefer, log, report };
  const handler: RequestHandler = async (request, context) => {
    switch (request.subtype) {
      case "can_use_tool":
        return answerPermission(request as CanUseToolRequest, context, permissions);
      case "hook_callback":
        return answerHook(request as HookCallbackRequest, context, hooks);
      case "mcp_message":
        return servers.answer(request as McpMessageRequest);
      case "elicitation": {
        const told = { ...context, ...omitUndefined({ sessionId: announced.sessionId }) };
        return answerElicitation(request as ElicitationRequest, told, onElicitation, report);
      }
      case "request_user_dialog":
        return answerDialog(request as UserDialogRequest, context, onUserDialog, report);
      default:
        return new Refusal(`Unsupported control request subtype: ${request.subtype}`);
    }
  };
  return inCallerContext(observeRequests(handler, parts.observation));
}
