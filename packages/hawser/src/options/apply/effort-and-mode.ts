import { closestName, objectOf } from "../../base/index.js";
import type { JsonObject } from "../../wire/index.js";
import { addFlag, type Draft } from "../invocation/draft.js";
import { requireKept } from "../invocation/kept-since.js";
import type { OptionName } from "../options.js";
import { EFFORTS, isKnown, PERMISSION_MODES } from "../validate/kinds/effort-and-mode.js";

export function applyEffort(draft: Draft, effort: string, name: OptionName): void {
  warnOfUnknown(draft, name, effort, {
    words: EFFORTS,
    otherwise: "warns on stderr and takes its default, or ends at once",
  });
  addFlag(draft, name, "--effort", effort);
}

export function applyPermissionMode(draft: Draft, mode: string, name: OptionName): void {
  warnOfUnknown(draft, name, mode, { words: PERMISSION_MODES, otherwise: "ends at once" });
  if (mode === "plan" && draft.options.allowDangerouslySkipPermissions === true) {
    requireKept("plan_with_bypass", draft.cli, draft.host);
  }
  addFlag(draft, name, "--permission-mode", mode === "manual" ? OLDER_NAME : mode);
}

/** Settings in which the mode `manual` has the older name that every CLI knows. */
export function withOlderMode(settings: JsonObject): JsonObject {
  const permissions = objectOf(settings["permissions"]);
  if (permissions["defaultMode"] !== "manual") return settings;
  return { ...settings, permissions: { ...permissions, defaultMode: OLDER_NAME } };
}

/** The name of the mode `manual` that older CLIs know too. */
const OLDER_NAME = "default";

/** Makes the session check that the CLI has read a mode in the settings that it may not know. */
export function expectMode(draft: Draft, settings: JsonObject): void {
  const { defaultMode: mode } = objectOf(settings["permissions"]);
  if (typeof mode !== "string" || isKnown(mode, IN_OLD_SETTINGS)) return;
  draft.expectsMode = true;
  warnOfUnknown(draft, "settings.permissions.defaultMode", mode, {
    words: PERMISSION_MODES,
    otherwise: "drops all of these settings, and then no session begins",
  });
}

/** The modes that every supported CLI knows in its settings. */
const IN_OLD_SETTINGS = PERMISSION_MODES.filter((mode) => mode !== "auto" && mode !== "manual");

interface Known {
  readonly words: readonly string[];
  /** What a CLI does if it does not know the word. */
  readonly otherwise: string;
}

function warnOfUnknown(draft: Draft, name: string, word: string, known: Known): void {
  const { words, otherwise } = known;
  if (isKnown(word, words)) return;
  const near = closestName(word, words);
  const guess = near === undefined ? `Known: ${words.join(", ")}.` : `Did you mean "${near}"?`;
  draft.warnings.push(
    `Hawser does not know ${name} ${JSON.stringify(word)} and passes it on. ` +
      `A CLI that does not know it ${otherwise}. ${guess}`,
  );
}
