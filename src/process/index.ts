export { type CliReport, type CredentialHint, checkCli } from "./check.js";
export { CliProcess } from "./cli-process.js";
export { type Exit, exitError, exitFacts } from "./exit.js";
export { type ProcessInfo, processes, shutdown } from "./live.js";
export { type CliLocation, type CliSource, type LocateOptions, locateCli } from "./locate.js";
export { explain, type Prepared, prepare } from "./prepare.js";
export { type ProbeOptions, probeVersion, type VersionProbe } from "./probe.js";
export { employerOf, spawnCli } from "./spawn.js";
export { resolveUser, type User } from "./user.js";
