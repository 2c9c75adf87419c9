// Where ours is meant to differ, and why. A rule names one scenario, the path of one difference and,
// where they say something, both values. One that explains nothing when its scenario ran is stale.
import { ABSENT } from "./compare.js";

/** For a value that may be anything. */
const ANY = Symbol("any");

export const wanted = [
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
];

/** The rule that explains a difference. */
export function ruleFor(scenario, { path, official, ours }, rules = wanted) {
  return rules.find(
    (rule) =>
      rule.scenario === scenario &&
      rule.path === path &&
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
