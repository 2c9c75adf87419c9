import type { ReportFault } from "../../base/index.js";
import { NO_ANSWER, type RequestContext } from "../../control/index.js";
import type {
  Elicitation,
  InteractionContext,
  OnElicitation,
  OnUserDialog,
  UserDialog,
} from "../../options/index.js";
import type { ElicitationRequest, ElicitationResult, UserDialogRequest } from "../../wire/index.js";

/** Answers the question of an MCP server; declines without a callback, or if the callback fails. */
export async function answerElicitation(
  request: ElicitationRequest,
  context: InteractionContext,
  onElicitation: OnElicitation | undefined,
  report: ReportFault,
): Promise<ElicitationResult | typeof NO_ANSWER> {
  if (onElicitation === undefined) return { action: "decline" };
  try {
    return (await onElicitation(elicitationOf(request), context)) ?? NO_ANSWER;
  } catch (error) {
    report(onElicitation, "onElicitation threw, so the server was declined", error);
    return { action: "decline" };
  }
}

/** Answers a dialog of the CLI; cancels it without a callback, or if the callback fails. */
export async function answerDialog(
  request: UserDialogRequest,
  context: RequestContext,
  onUserDialog: OnUserDialog | undefined,
  report: ReportFault,
): Promise<object> {
  if (onUserDialog === undefined) return { behavior: "cancelled" };
  try {
    return (await onUserDialog(dialogOf(request), context)) ?? { behavior: "cancelled" };
  } catch (error) {
    report(onUserDialog, "onUserDialog threw, so the dialog was cancelled", error);
    return { behavior: "cancelled" };
  }
}

function elicitationOf(request: ElicitationRequest): Elicitation {
  const { mcp_server_name, message, mode, url, elicitation_id, requested_schema } = request;
  return {
    serverName: mcp_server_name,
    message,
    ...(mode === undefined ? {} : { mode: mode as "form" | "url" }),
    ...(url === undefined ? {} : { url }),
    ...(elicitation_id === undefined ? {} : { elicitationId: elicitation_id }),
    ...(requested_schema === undefined ? {} : { requestedSchema: requested_schema }),
  };
}

function dialogOf({ dialog_kind, payload, tool_use_id }: UserDialogRequest): UserDialog {
  const toolUse = tool_use_id === undefined ? {} : { toolUseID: tool_use_id };
  return { dialogKind: dialog_kind, payload, ...toolUse };
}
