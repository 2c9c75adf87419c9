import { isObject, shownJson } from "../../base/json.js";
import { visibleLine } from "../../base/visible.js";
import type { ShownApproval } from "../../net/approval-shape.js";

/** What "allow for this session" allows, so that a person sees it before the answer. */
export function grantText({ sessionGrant, tool = "the tool" }: ShownApproval): string | undefined {
  if (sessionGrant === undefined) return undefined;
  const { updates, input } = sessionGrant;
  const rules = updates.flatMap(updateText);
  const fields = Object.entries(input);
  const calls =
    fields.length === 0
      ? `every call of ${tool}`
      : `${tool} with ${fields.map(([name, value]) => `${name} ${shownJson(value)}`).join(", ")}`;
  return visibleLine([...rules, calls].join("; "));
}

/** A change of the rules in words. A change that this page does not know is shown as it is. */
function updateText(update: unknown): string[] {
  if (!isObject(update)) return [shownJson(update)];
  const { type, rules, behavior, mode, directories } = update;
  if (type === "setMode" && typeof mode === "string") return [MODES[mode] ?? `the mode ${mode}`];
  if (type === "addDirectories" && Array.isArray(directories)) {
    return directories.map((folder) => `files in ${String(folder)}`);
  }
  if (type !== "addRules" || behavior !== "allow" || !Array.isArray(rules)) {
    return [shownJson(update)];
  }
  return rules
    .filter(isObject)
    .map(({ toolName, ruleContent }) =>
      ruleContent === undefined ? `every call of ${toolName}` : `${toolName}(${ruleContent})`,
    );
}

const MODES: Readonly<Record<string, string>> = {
  acceptEdits: "all edits of files in the folders of the session (mode acceptEdits)",
  bypassPermissions: "everything, without any question (mode bypassPermissions)",
};
