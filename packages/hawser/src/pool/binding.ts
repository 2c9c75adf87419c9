import { guardLogger, HawserError, type Issue, SILENT } from "../base/index.js";
import { isExclusive, isFolderFree, type Options, setsPwd } from "../options/index.js";
import { currentFolder, keepsBlanks, type Prepared, prepare } from "../process/index.js";
import { hasOwnSession, type LeaseRequest } from "../session/index.js";
import type { HostRequest } from "../wire/index.js";
import { CLAIMS_FOLDER, isKnownSince, type Split, splitDeferred } from "./deferred-options.js";
import { accountKey, requestKey, spawnKey } from "./keys.js";
import type { Isolation } from "./options.js";
import { recyclingObstacles } from "./recycling-obstacles.js";
import type { ResetRecord, ResetRecords } from "./reset-records.js";
import { withoutImpliedPwd } from "./workers/spawn-plan.js";

/**
 * The requirements of a request for its process. It holds no object of the caller, so that all calls with
 * the same options can share it.
 */
export interface Binding {
  /**
   * The prepared options, without the caller's callbacks: see `preparedFor`. Its invocation is what the
   * process receives, not how it was started.
   */
  readonly prepared: Prepared;
  readonly late: readonly HostRequest[];
  readonly cwd: string;
  /** Equal for processes that were started alike. */
  readonly spawnKey: string;
  /** Like `spawnKey`, but equal for all folders; undefined if the CLI cannot receive its folder later. */
  readonly familyKey: string | undefined;
  /** Equal for processes that were started alike and received the same options. */
  readonly requestKey: string;
  readonly account: string;
  /** How to start such a process. */
  readonly recipe: Recipe;
  /** Whether the CLI itself must stop at a budget. */
  readonly hasBudget: boolean;
  /**
   * What is known about resets of the executable; undefined if the options or the isolation rule out a
   * reset.
   */
  readonly resets: ResetRecord | undefined;
  /** Whether a process can receive all options before the call. */
  readonly isInitializable: boolean;
  /** Whether the request needs a process that was started for it alone. */
  readonly isAlone: boolean;
}

/**
 * Everything that a process is started with and receives. It holds copies, so that no caller can change it.
 */
export interface Recipe {
  readonly prepared: Prepared;
  readonly late: readonly HostRequest[];
  readonly sandbox: Options["sandbox"];
  /** Whether the caller gave PWD, so that it stays in every folder. */
  readonly hasOwnPwd: boolean;
}

/** Throws for wrong options, and for options that this isolation does not permit. */
export async function bindingOf(
  request: LeaseRequest,
  isolation: Isolation,
  records: ResetRecords,
): Promise<Binding> {
  const { options, purpose } = request;
  const reasons = purpose === "session" ? [HANDED_OUT] : recyclingObstacles(options);
  if (isolation === "conversation" && reasons.length > 0) throw notRecyclable(reasons);
  const full = await prepare(options);
  const split = purpose === "session" ? asIs(options) : splitDeferred(options, full.version);
  const { invocation } =
    split.late.length === 0 ? full : { invocation: full.invocationOf(split.fixed) };
  const expectedDenyRules = invocation.expectedDenyRules + split.lateDenyRules;
  const prepared = withoutCaller({ ...full, invocation: { ...invocation, expectedDenyRules } });
  const late = split.late.length === 0 ? split.late : structuredClone(split.late);
  const cwd = options.cwd ?? currentFolder();
  const spawn = spawnKey(prepared, cwd);
  const { initialize } = invocation;
  return {
    prepared,
    late,
    spawnKey: spawn,
    cwd,
    familyKey: mayClaim(prepared, options)
      ? spawnKey(withoutImpliedPwd(prepared, setsPwd(options, process.env)), undefined)
      : undefined,
    requestKey: requestKey(spawn, invocation, late, options.clientTools),
    account: accountKey(full, options),
    recipe: recipeOf(prepared, cwd, late, options),
    hasBudget: options.maxBudgetUsd !== undefined,
    resets: isolation !== "process" && reasons.length === 0 ? records.of(full) : undefined,
    isInitializable: initialize.sdkMcpServers === undefined && !options.requireMcp,
    isAlone: hasOwnSession(options) || isExclusive(options),
  };
}

/** The prepared options for a session of this caller, with the caller's own callbacks. */
export function preparedFor({ prepared }: Binding, { logger, stderr }: Options): Prepared {
  return {
    ...prepared,
    log: guardLogger(logger, prepared.mask),
    onStderr: stderr,
    keepsStderrBlanks: keepsBlanks(stderr),
  };
}

/** `invocationOf` is left out too, because its closure holds the caller's logger. */
function withoutCaller(prepared: Prepared): Prepared {
  return {
    ...prepared,
    log: SILENT,
    onStderr: undefined,
    invocationOf: refuseInvocation,
  };
}

function refuseInvocation(): never {
  throw new TypeError("A binding builds no other invocation.");
}

/**
 * It holds no object of the caller, because the environment, the folder and the options may be others when a
 * process is started from it. The invocation has been made from copies.
 */
function recipeOf(
  { invocation, ...prepared }: Prepared,
  cwd: string,
  late: readonly HostRequest[],
  options: Options,
): Recipe {
  const { sandbox } = options;
  return {
    prepared: { ...prepared, invocation: { ...invocation, cwd } },
    late,
    sandbox: sandbox && structuredClone(sandbox),
    hasOwnPwd: setsPwd(options, process.env),
  };
}

/** The holder of a session can send any control request, so nothing is deferred. */
function asIs(options: Options): Split {
  return { fixed: options, late: [], lateDenyRules: 0 };
}

/** Not with settings of the folder, because a later folder would apply them only in part. */
function mayClaim({ version }: Prepared, options: Options): boolean {
  if (!isKnownSince(version, CLAIMS_FOLDER) || options.settingSources?.length !== 0) return false;
  if (typeof options.mcpServers === "string") return false;
  return isFolderFree(options);
}

const HANDED_OUT: Issue = {
  path: "isolation",
  message: "a session can be changed by its holder in ways that a reset does not clear",
};

function notRecyclable(issues: readonly Issue[]): HawserError {
  const names = issues.map(({ path }) => path).join(", ");
  const message = `A process with these options cannot serve another call after a reset: ${names}.`;
  return new HawserError("invalid_options", message, {
    hint: 'Change these options, or give the pool `isolation: "auto"`.',
    issues: [...issues],
  });
}
