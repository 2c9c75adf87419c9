import type { HookRegistration } from "../../wire/index.js";
import type { Draft } from "../invocation/draft.js";
import { isSinceOrUnknown, mayUse } from "../invocation/version-gate.js";
import type { HookCallback, HookMatcher, Hooks } from "../types/hooks.js";

/** The callbacks of the option `hooks`, each under the id by which the CLI will call it. */
export interface NumberedHooks {
  readonly registrations: Readonly<Record<string, readonly HookRegistration[]>>;
  readonly callbacks: ReadonlyMap<string, NumberedHook>;
}

export interface NumberedHook {
  readonly callback: HookCallback;
  readonly event: string;
  /** What happens if the callback throws. This library enforces it on every version of the CLI. */
  readonly onFailure: "continue" | "block";
  /** How many seconds the callback may take. */
  readonly timeout: number;
}

/** The limit of the newest CLI for a hook without a `timeout`, in seconds. */
const DEFAULT_TIMEOUT = 600;

/** Ids are `hook_0`, `hook_1` … in the order of the option; the same option gives the same ids. */
export function numberHooks(hooks: Hooks): NumberedHooks {
  const callbacks = new Map<string, NumberedHook>();
  const registrations: Record<string, HookRegistration[]> = {};
  for (const [event, matchers] of Object.entries(hooks)) {
    if (matchers === undefined) continue;
    // The cast is safe: the id of a callback belongs to one event, so it gets only input of that
    // event.
    const registered = (matchers as readonly HookMatcher[]).map((matcher) =>
      register(event, matcher, callbacks),
    );
    registrations[event] = registered;
  }
  return { registrations, callbacks };
}

function register(
  event: string,
  { matcher, hooks, timeout, onFailure = defaultOnFailure(event) }: HookMatcher,
  callbacks: Map<string, NumberedHook>,
): HookRegistration {
  const hookCallbackIds = hooks.map((callback) => {
    const id = `hook_${callbacks.size}`;
    callbacks.set(id, { callback, event, onFailure, timeout: timeout ?? DEFAULT_TIMEOUT });
    return id;
  });
  return {
    ...(matcher === undefined ? {} : { matcher }),
    hookCallbackIds,
    ...(timeout === undefined ? {} : { timeout }),
    ...(onFailure === "block" ? { onFailure } : {}),
  };
}

/** A PreToolUse hook that throws must not let the call pass. */
function defaultOnFailure(event: string): "continue" | "block" {
  return event === GUARD ? "block" : "continue";
}

const GUARD = "PreToolUse";

export function applyHooks(draft: Draft, hooks: Hooks): void {
  const { registrations } = numberHooks(hooks);
  for (const event of AROUND_CLEAR) {
    if (registrations[event] !== undefined) draft.warnings.push(firesOnlyAroundClear(event));
  }
  // For PreToolUse this library itself answers "deny"; for other events only the CLI can block.
  const needsCli = Object.entries(registrations).some(
    ([event, matchers]) =>
      event !== GUARD && matchers.some(({ onFailure }) => onFailure === "block"),
  );
  if (needsCli)
    mayUse(draft, "hooks.onFailure", SINCE_ON_FAILURE, "a hook that throws blocks nothing");
  const knowsOnFailure = isSinceOrUnknown(draft.cli, SINCE_ON_FAILURE);
  const known = knowsOnFailure ? registrations : withoutOnFailure(registrations);
  draft.initialize.hooks = refusesLate(draft) ? known : withLongerTimeouts(known);
}

/**
 * Whether this CLI refuses a call if its PreToolUse hook does not answer in time. An older one lets the call
 * run (observed: 2.1.113 to 2.1.159).
 */
function refusesLate({ cli }: Draft): boolean {
  return cli.version !== undefined && isSinceOrUnknown(cli, SINCE_LATE_REFUSED);
}

const SINCE_LATE_REFUSED = "2.1.160";

/** Gives the CLI more time than the callback has, so that this library is the one that refuses a late call. */
function withLongerTimeouts(
  registrations: NumberedHooks["registrations"],
): NumberedHooks["registrations"] {
  const guards = registrations[GUARD];
  if (guards === undefined) return registrations;
  const patient = guards.map((matcher) => ({
    ...matcher,
    timeout: (matcher.timeout ?? DEFAULT_TIMEOUT) + PATIENCE,
  }));
  return { ...registrations, [GUARD]: patient };
}

/** Seconds. Long enough for the answer of a busy machine to arrive. */
const PATIENCE = 60;

/**
 * Removes the variable of the CLI's minimal mode if there are hooks, because the CLI calls none of them in that
 * mode (observed: 2.1.197 and 2.1.325). A hook or the policy would guard nothing, without any message.
 */
export function keepHooksInEffect({ initialize, env }: Draft): void {
  if (initialize.hooks !== undefined) env.remove("CLAUDE_CODE_SIMPLE");
}

/** The first CLI that accepts `onFailure`. */
export const SINCE_ON_FAILURE = "2.1.317";

const AROUND_CLEAR = ["SessionStart", "SessionEnd"];

function firesOnlyAroundClear(event: string): string {
  return (
    `hooks.${event}: callbacks do not fire at the start and the end of the process, ` +
    "only around /clear; for those use a hook of a settings file."
  );
}

function withoutOnFailure(
  registrations: NumberedHooks["registrations"],
): NumberedHooks["registrations"] {
  const plain = Object.entries(registrations).map(([event, matchers]) => [
    event,
    matchers.map(({ onFailure: _, ...matcher }) => matcher),
  ]);
  return Object.fromEntries(plain);
}
