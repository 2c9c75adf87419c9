import { constants } from "node:os";
import { type Issue, isObject } from "../base/index.js";
import type { HookInputs } from "../wire/index.js";
import type { Action, ScenarioFile, Step, Trigger } from "./scenario.js";

/** The mistakes in a scenario, each with its path. Only a scenario file may hold functions. */
export function scenarioIssues(scenario: unknown, isFile: boolean): Issue[] {
  const issues: Issue[] = [];
  const report = (path: string, message: string) => issues.push({ path, message });
  const check = { report, isFile };
  if (!isObject(scenario)) report("scenario", "must be an object");
  else checkFields(check, "", scenario, SCENARIO);
  return issues;
}

/**
 * Reports the mistakes in a value. The option kinds of `src/base` cannot be used here, because a rule
 * needs to know the event of its step and whether functions are allowed.
 */
type Rule = (check: Check, path: string, value: unknown) => void;

interface Check {
  readonly isFile: boolean;
  /** The event that starts the step. */
  readonly on?: unknown;
  report(path: string, message: string): void;
}

const is =
  (holds: (value: unknown) => boolean, what: string): Rule =>
  (check, path, value) => {
    if (!holds(value)) check.report(path, `must be ${what}`);
  };

const anything: Rule = () => {};
const text = is((value) => typeof value === "string", "a string");
const flag = is((value) => typeof value === "boolean", "true or false");
const yes = is((value) => value === true, "true");
const object = is(isObject, "an object");
const count = is((value) => Number.isSafeInteger(value) && Number(value) >= 0, "a count");
const ms = is((value) => Number.isFinite(value) && Number(value) >= 0, "a number of at least 0");
const status = is(
  (value) => Number.isSafeInteger(value) && Number(value) >= 400 && Number(value) < 600,
  "an HTTP status from 400 to 599",
);
const date = is(
  (value) =>
    value instanceof Date || (typeof value === "string" && !Number.isNaN(Date.parse(value))),
  "a Date or a date string",
);
const content = is(
  (value) => typeof value === "string" || (Array.isArray(value) && value.every(isObject)),
  "a string or a list of content blocks",
);
const oneOf = (...names: readonly string[]): Rule =>
  is((value) => names.includes(value as string), `one of ${names.join(", ")}`);

/** Allows the action only in a step for a control request. */
const answer =
  (rule: Rule): Rule =>
  (check, path, value) => {
    if (!isControl(check.on)) check.report(path, "is only for steps on control and initialize");
    else rule(check, path, value);
  };

const signal = is(
  (value) => Object.hasOwn(constants.signals, String(value)),
  "the name of a signal, such as SIGKILL",
);

const list =
  (each: Rule): Rule =>
  (check, path, value) => {
    if (!Array.isArray(value)) check.report(path, "must be a list");
    else for (const [n, item] of value.entries()) each(check, `${path}[${n}]`, item);
  };

const fields =
  (rules: Readonly<Record<string, Rule>>): Rule =>
  (check, path, value) => {
    if (!isObject(value)) check.report(path, "must be an object");
    else checkFields(check, `${path}.`, value, rules);
  };

const turn: Rule = (check, path, value) => {
  if (typeof value === "string") return;
  if (Array.isArray(value)) list(turnPart)(check, path, value);
  else check.report(path, "must be a string or a list");
};

const turnPart: Rule = (check, path, value) => {
  if (typeof value === "string") return;
  if (!Array.isArray(value)) return action(check, path, value);
  const call = value.findIndex((block) => isObject(block) && block["type"] === "tool_use");
  if (call === -1) content(check, path, value);
  else
    check.report(`${path}[${call}]`, "is a tool_use block: use the action { tool, input } instead");
};

/** The first key is the name of the action; the other keys are its options. */
const action: Rule = (check, path, value) => {
  if (typeof value === "function") {
    if (!check.isFile) check.report(path, "is a function, which only a scenario file can have");
    return;
  }
  const [name] = isObject(value) ? Object.keys(value) : [];
  if (!isObject(value) || name === undefined) check.report(path, "must be an action");
  else if (!Object.hasOwn(ACTIONS, name)) check.report(path, `has no known action "${name}"`);
  else checkFields(check, `${path}.`, value, ACTIONS[name as keyof typeof ACTIONS]);
};

const HOOK_EVENTS = {
  PreToolUse: true,
  PostToolUse: true,
  PostToolUseFailure: true,
  PostToolBatch: true,
  Notification: true,
  UserPromptSubmit: true,
  UserPromptExpansion: true,
  SessionStart: true,
  SessionEnd: true,
  Stop: true,
  StopFailure: true,
  SubagentStart: true,
  SubagentStop: true,
  PreCompact: true,
  PostCompact: true,
  PreModelSwitch: true,
  PostModelSwitch: true,
  PermissionRequest: true,
  PermissionDenied: true,
  Setup: true,
  TeammateIdle: true,
  TaskCreated: true,
  TaskCompleted: true,
  Elicitation: true,
  ElicitationResult: true,
  ConfigChange: true,
  WorktreeCreate: true,
  WorktreeRemove: true,
  InstructionsLoaded: true,
  CwdChanged: true,
  FileChanged: true,
  DirectoryAdded: true,
  MessageDisplay: true,
} satisfies Record<keyof HookInputs, true>;

const hookEvent = oneOf(...Object.keys(HOOK_EVENTS));

/** The first key of each action. */
type KeyOf<A> = A extends unknown ? keyof A : never;
type Name = Exclude<
  KeyOf<Action>,
  | ("times" | "keepSession" | "announce" | "forget" | "encoding" | "chunkBytes" | "gapMs")
  | ("input" | "error" | "structured" | "allowed" | "cancelAfterMs")
  | ("message" | "resetsAt" | "ms")
>;

const ACTIONS = {
  emit: { emit: object, times: count },
  echo: { echo: yes },
  turn: { turn },
  turnEcho: { turnEcho: yes },
  tool: {
    tool: text,
    input: object,
    result: content,
    error: text,
    structured: anything,
    allowed: flag,
    ms,
  },
  apiError: { apiError: status, message: text, resetsAt: date },
  model: { model: yes },
  value: { value: anything },
  hook: { hook: hookEvent, input: object },
  ask: { ask: object, cancelAfterMs: ms },
  background: {
    background: fields({
      description: text,
      ms,
      status: oneOf("completed", "failed", "stopped"),
      // A function, because `turn` itself may contain this action.
      next: (check, path, value) => turn(check, path, value),
    }),
  },
  clear: { clear: object, keepSession: flag, announce: flag, forget: flag },
  init: { init: object },
  assistant: { assistant: content },
  result: { result: object },
  respond: { respond: answer(object) },
  respondError: { respondError: answer(text) },
  write: { write: text, encoding: oneOf("utf8", "base64"), chunkBytes: count, gapMs: ms },
  longLine: { longLine: count },
  stderr: { stderr: text, times: count },
  sleep: { sleep: ms },
  hang: { hang: yes },
  exit: { exit: count },
  die: { die: signal },
  stopReading: { stopReading: yes },
  closeStdin: { closeStdin: yes },
  closeStdout: { closeStdout: yes },
  grandchild: { grandchild: fields({ seconds: ms, ignoreSigterm: flag, inheritOutput: flag }) },
  default: { default: yes },
} satisfies Record<Name, Readonly<Record<string, Rule>>>;

const TRIGGERS = {
  version: true,
  start: true,
  initialize: true,
  control: true,
  user: true,
  clear: true,
  response: true,
  line: true,
  eof: true,
  SIGTERM: true,
  SIGINT: true,
  SIGHUP: true,
} satisfies Record<Trigger, true>;

const STEP = {
  on: oneOf(...Object.keys(TRIGGERS)),
  subtype: text,
  times: is(
    (value) => value === "always" || isPositive(value),
    'a whole number of at least 1 or "always"',
  ),
  process: is(isPositive, "a whole number of at least 1"),
  do: list(action),
} satisfies Record<keyof Step, Rule>;

const step: Rule = (check, path, value) => {
  if (!isObject(value)) return check.report(path, "must be an object");
  const { on } = value;
  fields(STEP)({ ...check, on }, path, value);
  if (value["subtype"] !== undefined && !isControl(on)) {
    check.report(`${path}.subtype`, "is only for steps on control and initialize");
  }
  for (const name of ["on", "do"] as const) {
    if (value[name] === undefined) check.report(`${path}.${name}`, "is missing");
  }
};

const mcpState = oneOf("connected", "failed", "needs-auth", "pending", "disabled");

const SCENARIO = {
  version: text,
  steps: list(step),
  states: flag,
  sessions: flag,
  mcp: (check, path, value) => {
    if (!isObject(value)) return check.report(path, "must be an object");
    for (const [name, state] of Object.entries(value)) mcpState(check, `${path}.${name}`, state);
  },
  record: text,
} satisfies Record<keyof ScenarioFile, Rule>;

function checkFields(
  check: Check,
  prefix: string,
  given: Readonly<Record<string, unknown>>,
  rules: Readonly<Record<string, Rule>>,
): void {
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) check.report(`${prefix}${name}`, "is unknown");
    else if (value !== undefined) rule(check, `${prefix}${name}`, value);
  }
}

function isControl(on: unknown): boolean {
  return on === "control" || on === "initialize";
}

function isPositive(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
