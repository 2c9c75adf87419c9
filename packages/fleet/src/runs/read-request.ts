import { buildInvocation, type Options, type Prompt } from "hawser";
import type { PriorityLevel } from "../accounting/fair-order.js";
import { checkName, invalidOption } from "../accounting/invalid-option.js";
import { isQueueName, QUEUE_NAME_HINT } from "../engine/queue-name.js";
import { hashOf, plainCopy } from "./plain-data.js";
import type { RunOptions, SubmitOptions } from "./run.js";
import { isUuid } from "./run-not-found.js";
import { PRIORITY_LEVELS } from "./run-row.js";

/** A checked request, as it is stored. */
export interface RunRequest {
  readonly tenant: string;
  readonly profile: string;
  readonly queue: string;
  readonly priority: PriorityLevel;
  readonly key: string | undefined;
  /** Prompt and options as JSON. */
  readonly request: string;
  readonly hash: string;
  readonly metadata: string;
  /** The session to continue. */
  readonly session: string | undefined;
  /** The session to continue a copy of. */
  readonly forkOf: string | undefined;
  readonly onBusySession: "queue" | "reject" | "interrupt";
  readonly budgetUsd: number | undefined;
  readonly startAfter: Date | undefined;
  readonly deadline: Date | undefined;
  readonly timeoutMs: number | undefined;
  readonly attempts: number;
}

/** The options that the CLI gets. */
const RUN_OPTIONS: Readonly<Record<keyof RunOptions, true>> = {
  model: true,
  fallbackModel: true,
  systemPrompt: true,
  maxTurns: true,
  maxBudgetUsd: true,
  effort: true,
  thinking: true,
  allowedTools: true,
  disallowedTools: true,
  history: true,
  schema: true,
};

/** Whether a run can set this option of the CLI. */
export function isRunOption(name: string): boolean {
  return Object.hasOwn(RUN_OPTIONS, name);
}

/** The options that the fleet itself reads. */
const FLEET_OPTIONS: Readonly<Record<Exclude<keyof SubmitOptions, keyof RunOptions>, true>> = {
  tenant: true,
  profile: true,
  queue: true,
  session: true,
  onBusySession: true,
  priority: true,
  key: true,
  budgetUsd: true,
  startAfter: true,
  deadline: true,
  timeoutMs: true,
  attempts: true,
  metadata: true,
  db: true,
};

/** The API takes no greater request. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Checks what `fleet.submit()` was given. Throws `invalid_options` that says what to do. */
export function readRequest(prompt: Prompt, options: SubmitOptions): RunRequest {
  checkNames(options);
  const { tenant = "default", profile = "default", queue = "default", key } = options;
  checkName("tenant", tenant);
  checkName("profile", profile);
  checkQueue(queue);
  if (key !== undefined) checkName("key", key);
  checkNumbers(options);
  const cliOptions = readCliOptions(options);
  const plainPrompt = readPrompt(prompt);
  const request = JSON.stringify({ prompt: plainPrompt, options: cliOptions });
  if (Buffer.byteLength(request) > MOST_BYTES) {
    throw invalidOption("prompt", "is greater than 32 MiB with its options", "Shorten it.");
  }
  const metadata = readMetadata(options.metadata ?? {});
  const { session, forkOf } = readSession(options.session);
  if (options.history !== undefined && options.session !== undefined) {
    throw invalidOption(
      "history",
      "contradicts session: a session has its own earlier messages",
      "Leave one of the two out.",
    );
  }
  const { onBusySession = "queue", priority = "normal" } = options;
  checkOneOf("onBusySession", onBusySession, ["queue", "reject", "interrupt"]);
  checkOneOf("priority", priority, ["low", "normal", "high"]);
  const { budgetUsd, timeoutMs, attempts = 3 } = options;
  const rest = {
    ...{ tenant, profile, queue, session, forkOf, onBusySession, budgetUsd, timeoutMs, attempts },
    priority: PRIORITY_LEVELS[priority],
  };
  return {
    ...rest,
    key,
    request,
    hash: hashOf(plainCopy({ ...rest, request, metadata }, "options")),
    metadata: JSON.stringify(metadata),
    startAfter: readDate("startAfter", options.startAfter),
    deadline: readDate("deadline", options.deadline),
  };
}

function checkNames(options: SubmitOptions): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(RUN_OPTIONS, name) || Object.hasOwn(FLEET_OPTIONS, name)) continue;
    throw invalidOption(
      name,
      "is not an option of a run",
      "What names a program, a file, a variable or a key of a machine belongs into the worker's profile.",
    );
  }
}

function checkQueue(queue: unknown): void {
  if (typeof queue === "string" && isQueueName(queue)) return;
  throw invalidOption("queue", "is not a name for a queue", QUEUE_NAME_HINT);
}

function readPrompt(prompt: Prompt): unknown {
  const isText = typeof prompt === "string" && prompt.trim() !== "";
  const areBlocks =
    Array.isArray(prompt) &&
    prompt.length > 0 &&
    prompt.every((block) => typeof block === "object" && block !== null && "type" in block);
  if (isText || areBlocks) return plainCopy(prompt, "prompt");
  throw invalidOption(
    "prompt",
    "is neither a text nor a list of content blocks",
    "Give a string that is not empty, or blocks with a `type`.",
  );
}

/** The core's own checks, so that a bad value is refused here and not on a worker hours later. */
function readCliOptions(options: SubmitOptions): unknown {
  const given = Object.fromEntries(
    Object.entries(options).filter(([name]) => Object.hasOwn(RUN_OPTIONS, name)),
  );
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) plainCopy(value, name);
  }
  const copy = plainCopy(given, "options");
  buildInvocation(
    copy as Options,
    { path: "claude" },
    { env: {}, platform: process.platform, execPath: process.execPath, privateDir: "/" },
  );
  return copy;
}

function readMetadata(metadata: unknown): unknown {
  const copy = plainCopy(metadata, "metadata");
  const isRecord = typeof copy === "object" && copy !== null && !Array.isArray(copy);
  if (isRecord && Object.values(copy).every((value) => typeof value === "string")) return copy;
  throw invalidOption("metadata", "is not an object of strings", "Write other values as JSON.");
}

function readSession(session: SubmitOptions["session"]): {
  readonly session: string | undefined;
  readonly forkOf: string | undefined;
} {
  const id = typeof session === "object" && session !== null ? session.fork : session;
  if (id === undefined && session === undefined) return { session: undefined, forkOf: undefined };
  if (!isUuid(id)) {
    throw invalidOption(
      "session",
      "is not the id of a session",
      "Use `sessionId` of a run's outcome, or `{ fork: sessionId }` for a copy.",
    );
  }
  return typeof session === "string"
    ? { session: id.toLowerCase(), forkOf: undefined }
    : { session: undefined, forkOf: id.toLowerCase() };
}

function checkNumbers({ budgetUsd, timeoutMs, attempts }: SubmitOptions): void {
  if (budgetUsd !== undefined && !(Number.isFinite(budgetUsd) && budgetUsd > 0)) {
    throw invalidOption("budgetUsd", "is not an amount above 0", "Give dollars, such as 0.5.");
  }
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0)) {
    throw invalidOption("timeoutMs", "is not a whole number from 1", "Give milliseconds.");
  }
  if (attempts !== undefined && !(Number.isInteger(attempts) && attempts >= 1 && attempts <= 100)) {
    throw invalidOption(
      "attempts",
      "is not a whole number from 1 to 100",
      "1 means that a run whose host dies is not tried again.",
    );
  }
}

function readDate(name: "startAfter" | "deadline", date: Date | undefined): Date | undefined {
  if (date === undefined) return undefined;
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date;
  throw invalidOption(name, "is not a valid Date", `Give \`${name}\` a Date.`);
}

function checkOneOf<Value extends string>(
  path: string,
  value: Value,
  values: readonly Value[],
): void {
  if (values.includes(value)) return;
  throw invalidOption(path, `is ${JSON.stringify(value)}`, `Use one of ${values.join(", ")}.`);
}
