export { type CheckOptions, type CliReport, type CredentialHint, checkCli } from "./check-cli.js";
export { CliProcess } from "./cli-process.js";
export { configFolder, configFolderIfAny, homeFolder, stateFile } from "./config-folder.js";
export { type CredentialMix, credentialMixes } from "./credential-mixes.js";
export { atHostExit } from "./end/at-host-exit.js";
export { type Exit, exitError, exitFacts } from "./end/exit-error.js";
export {
  endOrphans,
  findOrphans,
  type OrphanFilter,
  type OrphanProcess,
  type Orphans,
} from "./end/orphans.js";
export { type ProcessInfo, processes, shutdown } from "./end/process-registry.js";
export { currentFolder, currentFolderIfAny, temporaryRoot } from "./host-folders.js";
export { whyUnrunnable } from "./locate/executable-format.js";
export { describeReason } from "./locate/inspect-candidate.js";
export {
  type CliLocation,
  type CliSource,
  type InspectedPath,
  inspectSearchPaths,
  type LocateOptions,
  locateCli,
} from "./locate/locate-cli.js";
export { describeUnrunnable } from "./locate/not-runnable-error.js";
export { checkCwd } from "./prepare/check-folders.js";
export {
  type ExplainedCall,
  explain,
  explainInvocation,
  type Prepared,
  prepare,
  type VersionDemand,
} from "./prepare/prepare.js";
export { resolveUser, type User } from "./prepare/resolve-user.js";
export { hasCurrentVersion, verifyVersion } from "./prepare/verify-version.js";
export {
  lastProbe,
  type ProbeOptions,
  probeVersion,
  type VersionProbe,
} from "./probe/probe-version.js";
export type { ChildOutput } from "./spawn/child.js";
export { ownerOf, spawnCli } from "./spawn/spawn-cli.js";
export { keepingBlanks, keepsBlanks } from "./spawn/stderr-tail.js";
export { TemporaryFolder } from "./temporary/temporary-folder.js";
export { temporaryPath } from "./temporary/temporary-path.js";
