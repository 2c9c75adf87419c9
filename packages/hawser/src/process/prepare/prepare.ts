import {
  createLazyMask,
  type Environment,
  type ErrorFacts,
  guardLogger,
  type Logger,
  type Mask,
  openTrace,
  type Trace,
  warnOnce,
} from "../../base/index.js";
import {
  buildFromValid,
  type CliFacts,
  type Explanation,
  explainInvocation as explained,
  explanationText,
  type HostFacts,
  type Invocation,
  type Options,
  readOptions,
  requireEssentials,
  type Version,
  withPreset,
} from "../../options/index.js";
import { configFolder, homeFolder } from "../config-folder.js";
import { currentFolderIfAny } from "../host-folders.js";
import { type CliLocation, locateCli, machineWith } from "../locate/locate-cli.js";
import { findVersion } from "../probe/find-version.js";
import { type ProbeOptions, probeVersion, type VersionProbe } from "../probe/probe-version.js";
import { namedForCustomSpawn, refuseUser, type SpawnFunction } from "../spawn/custom-spawn.js";
import { keepsBlanks } from "../spawn/stderr-tail.js";
import { temporaryPath } from "../temporary/temporary-path.js";
import { checkCwd, checkPlugins } from "./check-folders.js";
import { readProject, readSettings } from "./project-input.js";
import { resolvePwd } from "./resolve-pwd.js";
import { resolveUser, type User } from "./resolve-user.js";

/** Everything that is known before a process is started. */
export interface Prepared {
  readonly location: CliLocation;
  readonly version: Version | undefined;
  readonly versionText: string;
  /** Whether the installer wrote the version, so that `verifyVersion()` has to confirm it. */
  readonly isVersionUnconfirmed: boolean;
  readonly invocation: Invocation;
  /** Builds the invocation for other valid options, if they need no other facts about the machine. */
  readonly invocationOf: (options: Options) => Invocation;
  /** Builds the invocation for a CLI of this version. Holds no object of the caller. */
  readonly invocationFor: (version: Version | undefined, options: Options) => Invocation;
  readonly user: User | undefined;
  /** The option `spawnClaudeCodeProcess`: starts the process in place of hawser. */
  readonly customSpawn: SpawnFunction | undefined;
  readonly graceMs: number;
  readonly renewWithinMs: number | undefined;
  readonly onStderr: ((line: string) => void) | undefined;
  /** Whether `onStderr` gets the blanks and the CR at the end of each line. */
  readonly keepsStderrBlanks: boolean;
  readonly mask: Mask;
  readonly log: Logger;
  readonly trace: Trace | undefined;
  /** The facts of every error about this process. */
  readonly facts: ErrorFacts;
}

/**
 * How the version of the CLI is found. `unverified`: as the installer wrote it, if that can be
 * believed; the caller must then call `verifyVersion()`. `asked`: as the executable answers.
 */
export type VersionDemand = "unverified" | "asked";

/** Checks the options, finds the CLI and its version, and looks at the disk. Starts no session. */
export async function prepare(
  given: Options,
  demand: VersionDemand = "unverified",
): Promise<Prepared> {
  const options = readOptions(given);
  const { location, probe, user, cli, host } = await inspectMachine(options, demand);
  // Before that, the version was not known.
  requireEssentials(options, cli, host);
  const isOurs = options.spawnClaudeCodeProcess === undefined && user === undefined;
  const invocationFor = builderOf(cli, host, isOurs);
  const invocation = invocationFor(probe.version, options);
  const mask = createLazyMask([host.env, invocation.env], invocation);
  const log = guardLogger(options.logger, mask);
  for (const warning of invocation.warnings) {
    log.warn(warning);
    // Without a logger the warning goes to stderr, because an option does not take effect.
    if (options.logger === undefined) warnOnce(mask(warning));
  }
  return {
    location,
    version: probe.version,
    versionText: probe.text,
    isVersionUnconfirmed: probe.byInstaller === true,
    invocation,
    invocationOf: (others) => invocationFor(probe.version, others),
    invocationFor,
    user,
    customSpawn: options.spawnClaudeCodeProcess,
    graceMs: options.closeGraceMs ?? GRACE_MS,
    renewWithinMs: options.renewWithinMs,
    onStderr: options.stderr,
    keepsStderrBlanks: keepsBlanks(options.stderr),
    mask,
    log,
    trace: openTrace(host.env["HAWSER_TRACE"], mask, (message) => log.warn(message)),
    facts: factsOf(location, probe.version),
  };
}

/** A function of its own, so that the result keeps none of the caller's objects alive. */
function builderOf(cli: CliFacts, host: HostFacts, isOurs: boolean): Prepared["invocationFor"] {
  return (version, options) => {
    const built = buildFromValid(options, { ...cli, version }, host);
    return isOurs ? withHome(built) : built;
  };
}

/** The facts of every error about a process of this CLI. */
export function factsOf({ path }: CliLocation, version: Version | undefined): ErrorFacts {
  return { cliPath: path, ...(version === undefined ? {} : { cliVersion: version.join(".") }) };
}

/**
 * Describes the command, environment, files and first request that these options would start, for
 * people to read and with secrets masked. No session is started.
 *
 * @example
 * ```ts
 * console.log(await explain({ model: "haiku", tools: ["Read"] }));
 * ```
 */
export async function explain(options: Options = {}): Promise<string> {
  return explanationText(await explainInvocation(options));
}

/** Like `explain()`, but returns data, with the CLI that would be started. */
export async function explainInvocation(options: Options = {}): Promise<ExplainedCall> {
  const resolved = readOptions(withPreset(options));
  const { location, probe, cli, host } = await inspectMachine(resolved, "asked");
  const { path, source } = location;
  const version = probe.version === undefined ? {} : { version: probe.version.join(".") };
  return { cli: { path, source, ...version }, ...explained(resolved, cli, host) };
}

export interface ExplainedCall extends Explanation {
  readonly cli: {
    readonly path: string;
    readonly source: CliLocation["source"];
    /** Absent if it is unknown. */
    readonly version?: string;
  };
}

const GRACE_MS = 2000;
const NOT_ASKED: VersionProbe = { text: "not asked" };

/**
 * Collects the facts about the machine that are needed to build an invocation. The environment is
 * copied once, because every read of `process.env` is a call into Node.
 */
async function inspectMachine(options: Options, demand: VersionDemand) {
  refuseUser(options);
  const env: Environment = { ...process.env };
  const named = namedForCustomSpawn(options);
  const location = named ?? locateCli(options, machineWith(env, options));
  if (options.spawnClaudeCodeProcess === undefined) {
    checkCwd(options.cwd);
    checkPlugins(options.plugins);
  }
  const settings = await readSettings(options);
  const project = await readProject(options);
  const user = options.user === undefined ? undefined : await userOf(options.user, options.env);
  const cli = { path: location.path, script: location.script };
  const host = {
    env,
    platform: process.platform,
    execPath: named === undefined ? process.execPath : "node",
    privateDir: temporaryPath(),
    ...(settings === undefined ? {} : { settings }),
    ...(project === undefined ? {} : { project }),
    cwd: currentFolderIfAny(),
    pwd: resolvePwd(options),
  };
  const isSkipped = [env, options.env].some((each) => each?.[SKIP] !== undefined);
  // The CLI is asked in the environment that it will run in, and as the user that it will run as.
  const how = (): ProbeOptions => ({ env: buildFromValid(options, cli, host).env, user });
  // A custom spawn function may start another CLI than the one that was found here.
  const isAsked = demand === "asked" || options.spawnClaudeCodeProcess !== undefined;
  const find = isAsked ? probeVersion : findVersion;
  const probe = named !== undefined || isSkipped ? NOT_ASKED : await find(location, how);
  return { location, probe, user, cli: { ...cli, version: probe.version }, host };
}

const SKIP = "CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK";

/**
 * The CLI does not start without a home folder, even if its configuration folder is set (observed:
 * 2.1.325 exits with ENOENT). So for a user without a home folder, HOME is the configuration
 * folder.
 */
function withHome(invocation: Invocation): Invocation {
  const { env, cwd } = invocation;
  if (homeFolder(env) !== undefined) return invocation;
  return { ...invocation, env: { ...env, HOME: configFolder(env, cwd) } };
}

/** The user without a home if the caller gives HOME, so that the given HOME stays. */
async function userOf(name: string | number, env: Options["env"]): Promise<User> {
  const user = await resolveUser(name);
  return env?.["HOME"] === undefined ? user : { ...user, home: undefined };
}
