export type { BuiltinTools } from "./builtin-tools.js";
export type { HawserHarnessOptions } from "./harness-options.js";
export { hawserHarness } from "./hawser-harness.js";
export {
  type LocalWorkspace,
  type LocalWorkspaceOptions,
  localWorkspace,
} from "./local-workspace.js";
