import { HawserError, isHawserError, type SessionOptions } from "hawser";
import type { RunInfo } from "../../runs/run.js";
import { checkProfile } from "../check-work-options.js";
import type { Workspace } from "../worker.js";
import type { WorkerSettings } from "../worker-settings.js";
import type { Beginning } from "./beginning.js";
import { Questions } from "./questions.js";
import type { SegmentContext } from "./segment-context.js";
import { narrowOptions } from "./segment-options.js";
import { toolHooks } from "./tool-hooks.js";
import { givenBack, withholdRights } from "./withheld-rights.js";
import { disposeWorkspace, openWorkspace } from "./workspace.js";

/** A beginning for which a CLI is started. */
export type StartedBeginning = Extract<Beginning, { type: "prompt" | "resumed" }>;

/** All that a CLI needs to be started. */
export interface PreparedSession {
  readonly options: SessionOptions;
  readonly questions: Questions;
  readonly workspace: Workspace;
}

/** Asks the functions of the worker for profile, workspace and credential, and makes the options of the session. */
export async function prepareSession(
  context: SegmentContext,
  beginning: StartedBeginning,
): Promise<PreparedSession> {
  const { settings, claim } = context;
  const { run, account } = claim;
  const profile = await ofWorker("profile", () => readProfile(settings, run));
  const workspace = await ofWorker("workspace", () =>
    openWorkspace(settings.parts.database, run, settings.workspace, profile.cwd),
  );
  try {
    const keys = await ofWorker("credential", () => settings.credential?.({ ...run, account }));
    return { ...optionsOf(context, beginning, { ...profile, ...keys }, workspace.cwd), workspace };
  } catch (error) {
    await disposeWorkspace(workspace, false);
    throw error;
  }
}

async function readProfile({ profiles }: WorkerSettings, run: RunInfo): Promise<SessionOptions> {
  const profile = Object.hasOwn(profiles, run.profile) ? profiles[run.profile] : undefined;
  if (profile === undefined) {
    throw new HawserError("invalid_options", `This worker has no profile "${run.profile}".`, {
      hint: "Give the worker a profile of this name, or submit the run to a queue whose workers have it.",
    });
  }
  if (typeof profile !== "function") return profile;
  const made = await profile(run);
  checkProfile(run.profile, made);
  return made;
}

function optionsOf(
  context: SegmentContext,
  beginning: StartedBeginning,
  profile: SessionOptions,
  cwd: string,
): { options: SessionOptions; questions: Questions } {
  const { settings, claim, store, calls, events } = context;
  const { run, budgetUsd } = claim;
  const { approve, logger } = settings;
  const money = { budgetUsd, spentUsd: run.costUsd };
  const narrowed = narrowOptions(profile, run.options, money, logger);
  const { allowed, granted } = beginning.type === "resumed" ? beginning : {};
  const isEdited =
    allowed?.decision.behavior === "allow" && allowed.decision.updatedInput !== undefined;
  const stored = isEdited ? { ...allowed, updates: givenBack(narrowed) } : allowed;
  const questions = new Questions(context, profile, {
    ...(stored === undefined ? {} : { stored }),
    ...(granted === undefined ? {} : { granted }),
  });
  const options: SessionOptions = {
    ...(isEdited ? withholdRights(narrowed) : narrowed),
    ...sessionOf(beginning, run.sessionId),
    cwd,
    sessionStore: store,
    sessionStoreFlush: "eager",
    onStoreFailure: "end",
    includePartialMessages: true,
    hooks: toolHooks({ run, calls, events, approve }, profile.hooks),
    canUseTool: questions.canUseTool,
    onElicitation: questions.onElicitation,
    ...(logger === undefined ? {} : { logger }),
  };
  const goesOnAlone = beginning.type === "resumed" && allowed === undefined;
  if (!goesOnAlone) return { options, questions };
  return { options: { ...options, env: { ...profile.env, [RESUME_VARIABLE]: "1" } }, questions };
}

/** Makes the CLI go on after the last result in the transcript, without a prompt. */
const RESUME_VARIABLE = "CLAUDE_CODE_RESUME_INTERRUPTED_TURN";

function sessionOf(beginning: StartedBeginning, sessionId: string): SessionOptions {
  if (beginning.type === "resumed" || beginning.from === "known") return { resume: sessionId };
  if (beginning.from === "new") return { sessionId };
  return { resume: beginning.from.fork, forkSession: true, sessionId };
}

/** Calls a function that the worker was given. If it fails, another host may have more luck. */
async function ofWorker<Value>(
  what: "profile" | "workspace" | "credential",
  call: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await call();
  } catch (cause) {
    if (isHawserError(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The ${what} of the run could not be made: ${why}`;
    throw new HawserError("spawn_failed", message, { cause });
  }
}
