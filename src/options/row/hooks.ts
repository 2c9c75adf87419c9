import type { HookRegistration } from "../../wire/index.js";
import { type Draft, mayUse } from "../draft.js";
import type { HookCallback, HookMatcher, Hooks } from "../shape/hook.js";

/** The callbacks of an option under the ids that the CLI will call them by. */
export interface NumberedHooks {
  readonly registrations: Readonly<Record<string, readonly HookRegistration[]>>;
  readonly callbacks: ReadonlyMap<string, HookCallback>;
}

/** Ids are `hook_0`, `hook_1` … in the order of the option; the same option gives the same ids. */
export function numberHooks(hooks: Hooks): NumberedHooks {
  const callbacks = new Map<string, HookCallback>();
  const registrations: Record<string, HookRegistration[]> = {};
  for (const [event, matchers] of Object.entries(hooks)) {
    if (matchers === undefined) continue;
    registrations[event] = matchers.map((matcher) => register(matcher, callbacks));
  }
  return { registrations, callbacks };
}

function register(
  { matcher, hooks, timeout, onFailure }: HookMatcher,
  callbacks: Map<string, HookCallback>,
): HookRegistration {
  const hookCallbackIds = hooks.map((callback) => {
    const id = `hook_${callbacks.size}`;
    callbacks.set(id, callback);
    return id;
  });
  return {
    ...(matcher === undefined ? {} : { matcher }),
    hookCallbackIds,
    ...(timeout === undefined ? {} : { timeout }),
    ...(onFailure === "block" ? { onFailure } : {}),
  };
}

export function applyHooks(draft: Draft, hooks: Hooks): void {
  const { registrations } = numberHooks(hooks);
  const guards = Object.values(registrations)
    .flat()
    .some(({ onFailure }) => onFailure === "block");
  // An older CLI passes over `onFailure`: a guard that throws would let the call through.
  if (guards)
    mayUse(draft, "hooks.onFailure", SINCE_ON_FAILURE, "a hook that throws blocks nothing");
  draft.initialize.hooks = registrations;
}

const SINCE_ON_FAILURE = "2.1.317";
