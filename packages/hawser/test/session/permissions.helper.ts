import type { CanUseTool, HookCallback, Options, PolicyRule } from "../../src/options/index.js";
import type { HookPermissionDecision, PermissionMode } from "../../src/wire/index.js";

/** Somebody, or several, who decide a call; the callbacks are those of this row only. */
export interface Decider {
  readonly name: string;
  /** What the name of each file it decides about begins with. */
  readonly key: string;
  readonly canUseTool?: CanUseTool;
  readonly hook?: HookCallback<"PreToolUse">;
  /** Refuses whatever the mode and the others say. */
  readonly guards?: true;
  /** Ends the turn, or may, so that nothing else can be tried in it. */
  readonly alone?: true;
}

/** Deciders that one session can have at a time. */
export interface Setup {
  readonly options: Options;
  readonly deciders: readonly Decider[];
}

export const MODES: readonly PermissionMode[] = [
  "default",
  "acceptEdits",
  "plan",
  "dontAsk",
  "auto",
  "bypassPermissions",
];

const allowedTools = ["Bash", "Write"];

const allows: CanUseTool = () => ({ behavior: "allow" });
const denies: CanUseTool = () => ({ behavior: "deny", message: "no" });

const says =
  (permissionDecision: HookPermissionDecision): HookCallback<"PreToolUse"> =>
  () => ({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision } });
const throws = () => {
  throw new Error("broken");
};
const never = () => new Promise<never>(() => {});
const silent: HookCallback<"PreToolUse"> = () => undefined;

/** Every way to decide a call. What stands after "but" would let it pass. */
export const SETUPS: readonly Setup[] = [
  setup({}, [{ name: "nobody", key: "nobody" }]),
  setup({ allowedTools }, [{ name: "`allowedTools`", key: "allowed" }]),
  setup({ allowedTools, disallowedTools: allowedTools }, [
    {
      name: "`disallowedTools`, but hook, callback and `allowedTools` allow",
      key: "disallowed",
      canUseTool: allows,
      hook: says("allow"),
      guards: true,
    },
  ]),
  setup({ allowedTools, settings: { permissions: { deny: ["Bash(sh -c *)", "Write"] } } }, [
    {
      name: "deny rule in `settings`, but hook, callback and `allowedTools` allow",
      key: "settings",
      canUseTool: allows,
      hook: says("allow"),
      guards: true,
    },
  ]),
  setup({}, [
    { name: "callback allows", key: "allow", canUseTool: allows },
    { name: "callback denies", key: "deny", canUseTool: denies },
    {
      name: "callback denies and interrupts",
      key: "interrupt",
      canUseTool: () => ({ behavior: "deny", message: "stop", interrupt: true }),
      alone: true,
    },
    { name: "callback throws", key: "throw", canUseTool: throws },
    {
      name: "callback answers nonsense",
      key: "nonsense",
      canUseTool: () => ({ behavior: "maybe" }) as never,
    },
  ]),
  setup({}, [
    { name: "hook allows, nobody to ask", key: "allow", hook: says("allow") },
    { name: "hook asks, nobody to ask", key: "ask", hook: says("ask"), guards: true },
    { name: "hook has no opinion, nobody to ask", key: "none", hook: silent },
  ]),
  setup({ allowedTools }, [
    { name: "hook denies, but `allowedTools`", key: "deny", hook: says("deny"), guards: true },
    { name: "hook throws, but `allowedTools`", key: "throw", hook: throws, guards: true },
    {
      name: "hook times out, but `allowedTools`",
      key: "late",
      hook: never,
      guards: true,
      alone: true,
    },
    {
      name: "hook answers what is no answer, but `allowedTools`",
      key: "nonsense",
      hook: () => "no" as never,
      guards: true,
    },
    {
      name: "hook denies without its event's name, but `allowedTools`",
      key: "nameless",
      hook: () => ({ hookSpecificOutput: { permissionDecision: "deny" } }) as never,
      guards: true,
    },
    {
      name: "hook answers what JSON cannot hold, but `allowedTools`",
      key: "bigint",
      hook: () => ({ reason: 1n }) as never,
      guards: true,
    },
    {
      name: 'hook blocks by `decision: "block"`, but `allowedTools`',
      key: "block",
      hook: () => ({ decision: "block", reason: "no" }),
      guards: true,
    },
  ]),
  setup({}, [
    {
      name: "hook denies, but callback allows",
      key: "deny",
      hook: says("deny"),
      canUseTool: allows,
      guards: true,
    },
    {
      name: "hook throws, but callback allows",
      key: "throw",
      hook: throws,
      canUseTool: allows,
      guards: true,
    },
    {
      name: "hook times out, but callback allows",
      key: "late",
      hook: never,
      canUseTool: allows,
      guards: true,
      alone: true,
    },
    { name: "hook asks, callback allows", key: "ask", hook: says("ask"), canUseTool: allows },
    {
      name: "hook asks, callback denies",
      key: "refuse",
      hook: says("ask"),
      canUseTool: denies,
      guards: true,
    },
    {
      name: "hook allows, callback would deny",
      key: "allow",
      hook: says("allow"),
      canUseTool: denies,
    },
  ]),
  setup(
    { allowedTools },
    [
      {
        name: 'hook with `onFailure: "continue"` throws, `allowedTools`',
        key: "open",
        hook: throws,
      },
      {
        name: 'hook with `onFailure: "continue"` times out, but `allowedTools`',
        key: "late",
        hook: never,
        guards: true,
        alone: true,
      },
    ],
    "continue",
  ),
  setup(
    {},
    [
      {
        name: 'hook with `onFailure: "continue"` throws, callback denies',
        key: "open",
        hook: throws,
        canUseTool: denies,
      },
    ],
    "continue",
  ),
  setup({ allowedTools, rules: policy({ allow: "allow", deny: "deny", ask: "ask" }) }, [
    { name: "policy allows", key: "allow" },
    { name: "policy denies, but `allowedTools`", key: "deny", guards: true },
    { name: "policy asks, nobody to ask, but `allowedTools`", key: "ask", guards: true },
    { name: "policy has no rule, no callback, but `allowedTools`", key: "none", guards: true },
  ]),
  setup({ rules: policy({ allow: "allow", deny: "deny" }) }, [
    {
      name: "policy denies, but hook and callback allow",
      key: "deny",
      hook: says("allow"),
      canUseTool: allows,
      guards: true,
    },
    {
      name: "policy allows, hook denies",
      key: "allow-deny",
      hook: says("deny"),
      canUseTool: allows,
      guards: true,
    },
    {
      name: "policy allows, hook asks, callback denies",
      key: "allow-ask",
      hook: says("ask"),
      canUseTool: denies,
      guards: true,
    },
    {
      name: "policy allows, hook throws",
      key: "allow-throw",
      hook: throws,
      canUseTool: allows,
      guards: true,
    },
    {
      name: "policy allows, hook times out",
      key: "allow-late",
      hook: never,
      canUseTool: allows,
      guards: true,
      alone: true,
    },
    {
      name: "policy allows, callback would deny",
      key: "allow",
      canUseTool: denies,
    },
    { name: "policy has no rule, callback allows", key: "none", canUseTool: allows },
    {
      name: "policy has no rule, callback denies",
      key: "refuse",
      canUseTool: denies,
      guards: true,
    },
  ]),
];

/** The options of a setup, with one callback each that asks the decider of the call at hand. */
function setup(
  options: Options,
  deciders: readonly Decider[],
  onFailure?: "continue" | "block",
): Setup {
  const of = (input: unknown) => {
    const key = /([a-z-]+)\.[a-zA-Z]+\.(?:bash|write)/.exec(JSON.stringify(input))?.[1];
    return deciders.find((decider) => decider.key === key);
  };
  const canUseTool: CanUseTool = (tool, input, context) =>
    of(input)?.canUseTool?.(tool, input, context) ?? null;
  const hook: HookCallback<"PreToolUse"> = (input, id, context) =>
    of(input.tool_input)?.hook?.(input, id, context);
  const hooks = { PreToolUse: [{ hooks: [hook], timeout: 1, onFailure }] };
  return {
    deciders,
    options: {
      ...options,
      ...(deciders.some((decider) => decider.canUseTool) ? { canUseTool } : {}),
      ...(deciders.some((decider) => decider.hook) ? { hooks } : {}),
    },
  };
}

/** Rules for all files whose name begins with a key. */
function policy(decisions: Readonly<Record<string, PolicyRule["decision"]>>): PolicyRule[] {
  return Object.entries(decisions).flatMap(([key, decision]) => [
    { tool: "Bash", input: { command: `*touch ${key}*` }, decision },
    { tool: "Write", input: { file_path: `*/${key}*` }, decision },
  ]);
}
