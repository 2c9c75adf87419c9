export {
  migrate,
  prune,
  type SetAccountCommand,
  type SetTenantCommand,
  setAccount,
  setTenant,
  showStatus,
  showTenant,
} from "./administer.js";
export {
  type AnswerCommand,
  answerApproval,
  askApprovals,
  type GivenDecision,
  type ListApprovalsCommand,
  listApprovals,
} from "./approve.js";
export {
  type CopyCommand,
  copyDatabase,
  type MoveCommand,
  moveDatabase,
} from "./move-database.js";
export type { FleetPlace } from "./open-place.js";
export {
  cancelRuns,
  followRun,
  type ListRunsCommand,
  listRuns,
  type RunCommand,
  type RunsCommand,
  retryRuns,
  showRun,
} from "./runs.js";
export type { CommandShell, CommandStyle, CommandTerminal } from "./shell.js";
export { type SubmitCommand, submit } from "./submit.js";
export { type WorkCommand, work } from "./work.js";
