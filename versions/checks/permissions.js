// What guards promise: each of them, in every permission mode.
import assert from "node:assert/strict";
import { MODES, playTrial, playTurns, startIn } from "../permission-trial.js";

/** @typedef {import("hawser").PermissionMode} Mode */

/**
 * A check that calls of these names are refused in every mode of this CLI in which they must be. Which modes it
 * lacks is the subject of another check.
 * @param {string} id
 * @param {string} title
 * @param {keyof typeof import("../permission-trial.js").TRIALS} trial
 * @param {{ refused: readonly string[], control: string, except?: readonly Mode[] }} calls `control` must run in the
 *   default mode, because otherwise a refusal would show nothing
 * @returns {import("../outcome.js").Check}
 */
function guard(id, title, trial, { refused, control, except = [] }) {
  return {
    id,
    group: "Permissions",
    title,
    isGuard: true,
    async run({ cli }) {
      const seen = await playTrial(cli, trial);
      const slipped = seen.flatMap((it) =>
        "ran" in it && !except.includes(it.mode)
          ? refused.filter((name) => it.ran[name]).map((name) => `${name} ran in ${it.mode}`)
          : [],
      );
      assert.deepEqual(slipped, [], slipped.join(", "));
      const inDefault = seen.find(({ mode }) => mode === "default");
      const [first] = seen;
      // The options are refused in every mode, so their refusal is the outcome.
      if ("refused" in first && seen.every((it) => "refused" in it)) throw first.refused;
      const isShown = inDefault !== undefined && "ran" in inDefault && inDefault.ran[control];
      assert.ok(isShown, `${control} did not run in default, so nothing is shown`);
    },
  };
}

/**
 * What each mode does with a command and an edit that nobody has decided.
 * @type {Readonly<Record<Mode, string>>}
 */
const ALONE = {
  default: "neither",
  acceptEdits: "edit",
  plan: "neither",
  dontAsk: "neither",
  auto: "edit",
  bypassPermissions: "both",
};

/** @type {readonly import("../outcome.js").Check[]} */
export const permissions = [
  guard(
    "rule",
    "a deny rule in `disallowedTools` refuses, whatever else allows the call",
    "guards",
    {
      refused: ["rule"],
      control: "unguarded",
    },
  ),
  guard(
    "settings-rule",
    "a deny rule in `settings` refuses, whatever else allows the call",
    "settings",
    {
      refused: ["settings-rule"],
      control: "unguarded",
    },
  ),
  guard("denied-tool", "a tool in `disallowedTools` never runs", "guards", {
    refused: ["denied-tool"],
    control: "unguarded",
  }),
  guard("hook", "a hook that denies or blocks refuses", "guards", {
    refused: ["hook-deny", "hook-block"],
    control: "unguarded",
  }),
  guard("broken-hook", "a hook that throws or answers nonsense refuses", "guards", {
    refused: ["hook-throw", "hook-nonsense"],
    control: "unguarded",
  }),
  guard("late-hook", "a hook that passes its time limit refuses", "guards", {
    refused: ["hook-late"],
    control: "unguarded",
  }),
  guard("policy", "a policy (`rules`) that denies refuses", "policy", {
    refused: ["policy-deny"],
    control: "policy-allow",
  }),
  guard(
    "callback",
    "`canUseTool` that denies refuses (not asked in `bypassPermissions`)",
    "callback",
    {
      refused: ["callback-deny"],
      control: "callback-allow",
      except: ["bypassPermissions"],
    },
  ),
  guard("broken-callback", "`canUseTool` that throws or answers nonsense refuses", "callback", {
    refused: ["callback-throw", "callback-nonsense"],
    control: "callback-allow",
    except: ["bypassPermissions"],
  }),
  {
    id: "modes",
    group: "Permissions",
    title: "each `permissionMode` runs what it should, and nothing else",
    isGuard: true,
    async run({ cli }) {
      const seen = await playTrial(cli, "nobody");
      const wrong = seen.flatMap((it) =>
        "ran" in it && whatRan(it.ran) !== ALONE[it.mode]
          ? [`${it.mode}: ${whatRan(it.ran)} ran`]
          : [],
      );
      assert.deepEqual(wrong, [], wrong.join(", "));
      return modesRefused(seen);
    },
  },
  {
    id: "set-mode",
    group: "Permissions",
    title: "`setPermissionMode()` means the same as `permissionMode`",
    isGuard: true,
    async run(place) {
      const wrong = [];
      const refused = [];
      for (const mode of MODES.slice(1)) {
        const options =
          mode === "bypassPermissions" ? { allowDangerouslySkipPermissions: true } : {};
        try {
          const ran = await playTurns(place, [["nobody", "edit"]], options, (session) =>
            session.setPermissionMode(mode),
          );
          if (whatRan(ran) !== ALONE[mode]) wrong.push(`${mode}: ${whatRan(ran)} ran`);
        } catch (error) {
          if (error.code !== "unsupported_by_cli" && error.code !== "control_error") throw error;
          refused.push({ mode, refused: error });
        }
      }
      assert.deepEqual(wrong, [], wrong.join(", "));
      return modesRefused(refused);
    },
  },
  {
    id: "plan-with-bypass",
    group: "Permissions",
    title: "`plan` refuses also with `allowDangerouslySkipPermissions`",
    isGuard: true,
    async run(place) {
      const ran = await playTurns(place, [["nobody", "edit"]], {
        ...startIn("plan"),
        allowDangerouslySkipPermissions: true,
      });
      assert.equal(whatRan(ran), "neither", `${whatRan(ran)} ran`);
    },
  },
];

/** @param {Readonly<Record<string, boolean>>} ran */
function whatRan({ nobody, edit }) {
  if (nobody && edit) return "both";
  return nobody ? "command" : edit ? "edit" : "neither";
}

/**
 * Undefined if the CLI has every mode.
 * @param {readonly ({ mode: Mode } | { mode: Mode, refused: import("hawser").HawserError })[]} seen
 */
function modesRefused(seen) {
  const refused = seen.filter((it) => "refused" in it);
  if (refused.length === 0) return undefined;
  const modes = refused.map((it) => `\`${it.mode}\``).join(" and ");
  const codes = [...new Set(refused.map((it) => `\`${it.refused.code}\``))].join(" or ");
  return `${modes}: refused with ${codes}`;
}
