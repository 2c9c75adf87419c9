export { type CheckOptions, type CliReport, type CredentialHint, checkCli } from "./check.js";
export { CliProcess } from "./cli-process.js";
export { type CredentialMix, credentialMixes } from "./credential-mix.js";
export { everyPlace, type SeenPlace } from "./every-place.js";
export { type Exit, exitError, exitFacts } from "./exit.js";
export { atHostExit, type ProcessInfo, processes, shutdown } from "./live.js";
export { type CliLocation, type CliSource, type LocateOptions, locateCli } from "./locate.js";
export { wordsFor } from "./not-runnable.js";
export {
  endOrphans,
  findOrphans,
  type OrphanFilter,
  type OrphanProcess,
  type Orphans,
} from "./orphans.js";
export {
  configFolder,
  configFolderIfAny,
  currentFolder,
  homeFolder,
  temporaryFolder,
} from "./own-folders.js";
export { checkCwd } from "./preflight.js";
export {
  type ExplainedCall,
  explain,
  explainInvocation,
  type Prepared,
  prepare,
} from "./prepare.js";
export { lastProbe, type ProbeOptions, probeVersion, type VersionProbe } from "./probe.js";
export { employerOf, spawnCli } from "./spawn.js";
export { keepingBlanks } from "./stderr.js";
export { TemporaryFolder, temporaryPath } from "./temporary-folder.js";
export { whyUnrunnable } from "./unrunnable.js";
export { resolveUser, type User } from "./user.js";
