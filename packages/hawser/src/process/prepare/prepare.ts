import {
  createMask,
  type ErrorFacts,
  guardLogger,
  type Logger,
  type Mask,
  openTrace,
  type Trace,
  warnOnce,
} from "../../base/index.js";
import {
  buildInvocation,
  type Explanation,
  explainInvocation as explained,
  explanationText,
  type Invocation,
  type Options,
  type Version,
  validateOptions,
  withPreset,
} from "../../options/index.js";
import { configFolder, homeFolder } from "../config-folder.js";
import { currentFolderIfAny } from "../host-folders.js";
import { type CliLocation, locateCli } from "../locate/locate-cli.js";
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
  readonly invocation: Invocation;
  /** Builds the invocation for other options, if they need no other facts about the machine. */
  readonly invocationOf: (options: Options) => Invocation;
  readonly user: User | undefined;
  /** The option `spawnClaudeCodeProcess`: starts the process in place of hawser. */
  readonly customSpawn: SpawnFunction | undefined;
  readonly graceMs: number;
  readonly onStderr: ((line: string) => void) | undefined;
  /** Whether `onStderr` gets the blanks and the CR at the end of each line. */
  readonly keepsStderrBlanks: boolean;
  readonly mask: Mask;
  readonly log: Logger;
  readonly trace: Trace | undefined;
  /** The facts of every error about this process. */
  readonly facts: ErrorFacts;
}

/** Checks the options, finds the CLI and its version, and looks at the disk. Starts no session. */
export async function prepare(options: Options): Promise<Prepared> {
  const { location, probe, user, cli, host } = await inspectMachine(options);
  const isOurs = options.spawnClaudeCodeProcess === undefined && user === undefined;
  const build = (others: Options) => {
    const built = buildInvocation(others, cli, host);
    return isOurs ? withHome(built) : built;
  };
  const invocation = build(options);
  const mask = createMask({ ...process.env, ...invocation.env }, invocation.secrets);
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
    invocation,
    invocationOf: build,
    user,
    customSpawn: options.spawnClaudeCodeProcess,
    graceMs: options.closeGraceMs ?? GRACE_MS,
    onStderr: options.stderr,
    keepsStderrBlanks: keepsBlanks(options.stderr),
    mask,
    log,
    trace: openTrace(process.env["HAWSER_TRACE"], mask, (message) => log.warn(message)),
    facts: {
      cliPath: location.path,
      ...(probe.version === undefined ? {} : { cliVersion: probe.version.join(".") }),
    },
  };
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
  const resolved = withPreset(options);
  const { location, probe, cli, host } = await inspectMachine(resolved);
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

/** Collects the facts about the machine that are needed to build an invocation. */
async function inspectMachine(options: Options) {
  validateOptions(options);
  refuseUser(options);
  const named = namedForCustomSpawn(options);
  const location = named ?? locateCli(options);
  if (options.spawnClaudeCodeProcess === undefined) {
    checkCwd(options.cwd);
    checkPlugins(options.plugins);
  }
  const settings = await readSettings(options);
  const project = await readProject(options);
  const user = options.user === undefined ? undefined : await userOf(options.user, options.env);
  const cli = { path: location.path, script: location.script };
  const host = {
    env: process.env,
    platform: process.platform,
    execPath: named === undefined ? process.execPath : "node",
    privateDir: temporaryPath(),
    ...(settings === undefined ? {} : { settings }),
    ...(project === undefined ? {} : { project }),
    cwd: currentFolderIfAny(),
    pwd: resolvePwd(options),
  };
  const probe =
    named === undefined
      ? await askVersion(location, options, () => {
          return { env: buildInvocation(options, cli, host).env, user };
        })
      : NOT_ASKED;
  return { location, probe, user, cli: { ...cli, version: probe.version }, host };
}

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

/** The CLI is asked in the environment that it will run in, and as the user that it will run as. */
async function askVersion(
  location: CliLocation,
  { env }: Options,
  how: () => ProbeOptions,
): Promise<VersionProbe> {
  const skip = [process.env, env].some((each) => each?.[SKIP] !== undefined);
  return skip ? NOT_ASKED : probeVersion(location, how);
}

const SKIP = "CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK";
