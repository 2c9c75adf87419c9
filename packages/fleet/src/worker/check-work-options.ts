import { HawserError, type Issue, type SessionOptions } from "hawser";
import { checkName } from "../accounting/invalid-option.js";
import { isQueueName, QUEUE_NAME_HINT } from "../engine/queue-name.js";
import type { WorkOptions } from "./worker.js";

/** Refuses options that the worker cannot obey with `invalid_options`, and names all of them. */
export function checkWorkOptions(options: WorkOptions): void {
  const issues = [...issuesOf(options)];
  if (issues.length > 0) throw invalid(issues);
}

function* issuesOf(options: WorkOptions): Iterable<Issue> {
  const { profiles, slots, labels, name, onUncertain } = options;
  if (typeof profiles !== "object" || profiles === null || Object.keys(profiles).length === 0) {
    yield { path: "profiles", message: "must name at least one profile, such as `default`." };
  }
  for (const [key, profile] of Object.entries(profiles ?? {})) {
    if (typeof profile === "function") continue;
    yield* issuesOfProfile(key, profile);
  }
  if (slots !== undefined && !(Number.isInteger(slots) && slots >= 1)) {
    yield { path: "slots", message: `must be a whole number from 1, not ${String(slots)}.` };
  }
  for (const path of ["holdMs", "approvalTimeoutMs", "drainMs"] as const) {
    const value = options[path];
    if (value !== undefined && !(value >= 0)) {
      yield { path, message: `must be a number from 0, not ${String(value)}.` };
    }
  }
  if (labels !== undefined && (labels.length === 0 || !labels.every(isQueueName))) {
    const message = `must be names of queues, at least one. ${QUEUE_NAME_HINT}`;
    yield { path: "labels", message };
  }
  if (name !== undefined && !isName(name)) {
    const message = "must have 1 to 200 characters, without U+0000 and unpaired surrogates.";
    yield { path: "name", message };
  }
  if (onUncertain !== undefined && !["tell", "ask", "fail"].includes(onUncertain)) {
    yield { path: "onUncertain", message: 'must be "tell", "ask" or "fail".' };
  }
}

function isName(name: string): boolean {
  try {
    checkName("name", name);
    return true;
  } catch {
    return false;
  }
}

/** Refuses a profile that a function made, like one that is given as an object. */
export function checkProfile(name: string, profile: SessionOptions): void {
  const issues = [...issuesOfProfile(name, profile)];
  if (issues.length > 0) throw invalid(issues);
}

/** The worker decides which session runs where, and keeps it. */
function issuesOfProfile(name: string, profile: SessionOptions): Issue[] {
  const owned = OWNED.filter((option) => profile[option] !== undefined);
  return owned.map((option) => ({
    path: `profiles.${name}.${option}`,
    message: "is set by the worker. Leave it out.",
  }));
}

function invalid(issues: readonly Issue[]): HawserError {
  const sentences = issues.map(({ path, message }) => `${path} ${message}`);
  return new HawserError("invalid_options", sentences.join(" "), { issues });
}

const OWNED = [
  "abortController",
  "continue",
  "forkSession",
  "loadTimeoutMs",
  "onStoreFailure",
  "persistSession",
  "pool",
  "priority",
  "projectKey",
  "recover",
  "renewWithinMs",
  "resume",
  "resumeDropsTurn",
  "resumeSessionAt",
  "sessionId",
  "sessionStore",
  "sessionStoreFlush",
  "signal",
  "tenant",
] as const satisfies readonly (keyof SessionOptions)[];
