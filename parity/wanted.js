// Intended differences of ours, and their reasons. A rule names one scenario, or `EVERY` one, the path of
// one difference and, if they matter, both values. A rule that explains nothing although its scenario ran
// is stale.
import { ABSENT } from "./compare.js";

/** Matches any value. */
const ANY = Symbol("any");

/** Matches every scenario. */
export const EVERY = Symbol("every scenario");

export const wanted = [
  ...because(
    "Every failure is a HawserError, whose code says what happened; the official SDK throws a plain Error.",
    EVERY,
    [
      [/(^|\.)(error|refused)\.name$/, "Error", "HawserError"],
      [/(^|\.)(error|refused)\.name$/, "ReferenceError", "HawserError"],
    ],
  ),

  ...because("An AbortError says so by its name, as everybody else's does.", EVERY, [
    [/(^|\.)error\.name$/, "Error", "AbortError"],
  ]),

  ...because(
    "`canUseTool` is told whose question it is, so that one place can answer the questions of many sessions.",
    EVERY,
    [[/^asked\[\d+\]\[2\]\.(cwd|sessionId|parentToolUseID)$/, ABSENT, ANY]],
  ),

  ...because(
    "A PreToolUse callback is a guard, and a guard that breaks must block. The official SDK asks the CLI to block only where the caller says so.",
    "hooks: PreToolUse throws",
    [
      ["made", true, false],
      ["messages[2](system/informational)", ANY, ABSENT],
      ["messages[3](user).message.content[0](tool_result).content", ANY, ANY],
      ["messages[3](user).message.content[0](tool_result).is_error", false, true],
      ["messages[3](user).tool_result_meta[0].non_execution_kind", ABSENT, "permission-rule"],
      ["messages[3](user).tool_result_meta[0].permission_decision.decision", "accept", "reject"],
      ["messages[3](user).tool_result_meta[0].permission_decision.reason_type", "rule", "hook"],
      ["messages[3](user).tool_result_meta[0].permission_decision.source", "config", "hook"],
      ["messages[3](user).tool_use_result", ANY, ANY],
      ["messages[5](result/success).permission_denials[0]", ABSENT, ANY],
      ["requests[1](call).body.messages[3].content[0](tool_result).content", ANY, ANY],
      ["requests[1](call).body.messages[3].content[0](tool_result).is_error", false, true],
    ],
  ),

  ...[
    "permissions: allow",
    "permissions: allow, and no more said",
    "permissions: allow with another input",
    "permissions: allow for the session",
    "permissions: the suggestions echoed",
    "permissions: a mode for the session",
    "permissions: deny",
    "permissions: deny and interrupt",
    "permissions: a callback that throws",
    "permissions: an answer that is none",
    "mcp: a tool that is not allowed, asked about",
    "background: a sub-agent that asks for permission",
  ].flatMap((name) =>
    because(
      "Callers hand suggestions back as they are. With the CLI's destination that writes a settings file, which the caller has not asked for; ours hold for the session.",
      name,
      [["asked[0][2].suggestions[0](addRules).destination", "localSettings", "session"]],
    ),
  ),

  ...["the end of a plan", "mode default, with a callback"].flatMap((name) =>
    because("The same, at the second question.", `permissions: ${name}`, [
      ["asked[1][2].suggestions[0](addRules).destination", "localSettings", "session"],
    ]),
  ),

  ...because("The same: no file is written.", "permissions: the suggestions echoed", [
    ["settings", ANY, null],
  ]),

  ...because(
    "The permission mode is always sent, so that no settings file and no account can choose a laxer one than the caller thinks.",
    "settings: settings that choose a mode",
    [
      ["messages[0](system/init).permissionMode", "acceptEdits", "default"],
      ["messages[2](system/permission_denied)", ABSENT, ANY],
      ["messages[2](user).message.content[0](tool_result).content", ANY, ANY],
      ["messages[2](user).message.content[0](tool_result).is_error", ABSENT, true],
      ["messages[2](user).tool_result_meta[0].non_execution_kind", ABSENT, "user-rejected"],
      ["messages[2](user).tool_result_meta[0].permission_decision.decision", "accept", "reject"],
      ["messages[2](user).tool_result_meta[0].permission_decision.reason_type", "mode", ABSENT],
      ["messages[2](user).tool_use_result", ANY, ANY],
      ["messages[4](result/success).permission_denials[0]", ABSENT, ANY],
      ["requests[1](call).body.messages[3].content[0](tool_result).content", ANY, ANY],
      ["requests[1](call).body.messages[3].content[0](tool_result).is_error", ABSENT, true],
    ],
  ),

  ...because(
    "A running turn is interrupted before its process is closed, so that a tool has no effect after close().",
    "ends: closed in mid-tool, and what the tool does then",
    [["after", true, false]],
  ),

  // Whether the official SDK's prompt arrives before its process has ended is a race.
  ...because(
    "The same: a prompt whose query was left does not reach the model any more.",
    "ends: return and throw",
    [
      [/\.(session_id|metadata\.user_id)$/, ANY, ANY],
      [/^requests\[\d\]\(call\)$/, ANY, ABSENT],
      ["script", "played to its end", ANY],
    ],
  ).map((rule) => ({ ...rule, isRace: true })),

  ...because(
    "Whenever it comes, an abort is told in the same words.",
    "ends: aborted between turns",
    [["error.message", "Operation aborted", "Claude Code process aborted by user"]],
  ),

  ...because(
    "What the caller's own iterable threw is why it ended.",
    "text: an iterable that throws between turns",
    [
      ["error.message", "Operation aborted", "the prompt broke"],
      ["error.name", "Error", "RangeError"],
    ],
  ),

  ...because("A warm query that was closed has not been used.", "startup: never used", [
    ["after.error.message", ANY, "WarmQuery is closed."],
  ]),

  ...[
    "errors: an executable that is not there",
    "errors: a file that cannot be executed",
    "errors: an executable that is a folder",
    "errors: a folder that is not there",
    "startup: of an executable that is not there",
  ].flatMap((name) =>
    because("The message says what is wrong, and not what it usually means.", name, [
      ["error.message", ANY, ANY],
    ]),
  ),

  ...[
    ["errors: a callback beside a prompt tool", "refused.message"],
    ["errors: a fallback model that is the model", "refused.message"],
    ["sessions: an id that is none", "error.message"],
    ["sessions: an id and resume together", "error.message"],
    ["methods: another permission mode", "steps[2].error.message"],
  ].flatMap(([name, path]) =>
    because("Options are checked here, with a hint at what to do.", name, [[path, ANY, ANY]]),
  ),

  ...[
    ["errors: a mistyped permission mode", "refused"],
    ["output: a schema that is none", "scenarioThrew"],
  ].flatMap(([name, how]) =>
    because("The same, and before anything is started.", name, [
      ["error", ANY, ABSENT],
      ["messages", ANY, ABSENT],
      [how, ABSENT, ANY],
    ]),
  ),

  ...because(
    "A flag that has an option is refused, and the option is named: its value never stands on the command line, and of two equal flags the CLI would take one.",
    "settings: flags of the caller's own",
    [
      ["error", null, ABSENT],
      ["messages", ANY, ABSENT],
      ["requests[0](call)", ANY, ABSENT],
      ["script", "played to its end", ANY],
      ["scenarioThrew", ABSENT, ANY],
    ],
  ),

  ...because(
    "The process is started while the query runs, so a start that fails is told where its messages would come.",
    "errors: a process of one's own that does not start",
    [
      ["refused", ANY, ABSENT],
      ["error", ABSENT, ANY],
      ["messages", ABSENT, ANY],
    ],
  ),

  ...[
    "structured output",
    "structured output, right at the second attempt",
    "structured output that never comes",
    "structured output in two turns",
  ].flatMap((name) =>
    because(
      "A schema travels by initialize alone, never on the command line; the CLI then lists its tool in another place.",
      `output: ${name}`,
      [[/\.tools\[\d+\]/, ANY, ANY]],
    ),
  ),

  ...["a callback that throws", "an answer that is none"].flatMap((name) =>
    because(
      "It is a denial on every version of the CLI, in our own words.",
      `permissions: ${name}`,
      [
        ["messages[2](user).message.content[0](tool_result).content", ANY, ANY],
        ["messages[2](user).tool_result_meta[0].permission_decision.reason_type", "other", ABSENT],
        [
          "messages[2](user).tool_result_meta[0].permission_decision.source",
          "config",
          "user_reject",
        ],
        ["messages[2](user).tool_use_result", ANY, ANY],
        ["requests[1](call).body.messages[3].content[0](tool_result).content", ANY, ANY],
      ],
    ),
  ),

  ...because(
    "A query is its own iterator, as every generator is.",
    "methods: the names of what a query has",
    [["iterable", false, true]],
  ),
];

/** The rule that explains a difference. */
export function ruleFor(scenario, { path, official, ours }, rules = wanted) {
  return rules.find(
    (rule) =>
      (rule.scenario === EVERY || rule.scenario === scenario) &&
      (rule.path instanceof RegExp ? rule.path.test(path) : rule.path === path) &&
      fits(rule.official, official) &&
      fits(rule.ours, ours),
  );
}

function because(reason, scenario, differences) {
  return differences.map(([path, official, ours]) => ({ scenario, path, official, ours, reason }));
}

function fits(expected, value) {
  return expected === ANY || Object.is(expected, value);
}
