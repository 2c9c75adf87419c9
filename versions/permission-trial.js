import { existsSync } from "node:fs";
import { join } from "node:path";
import { isHawserError } from "hawser";
import { toolUse } from "hawser/testing";
import { Place } from "./place.js";

/** @typedef {import("hawser").PermissionMode} Mode */

/** @type {readonly Mode[]} */
export const MODES = ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"];

/**
 * What became of the calls of a trial in one mode: whether each ran, by its name; or that hawser or the CLI
 * refused to start in this mode.
 * @typedef {{ mode: Mode, ran: Readonly<Record<string, boolean>> } | { mode: Mode, refused: import("hawser").HawserError }} InMode
 */

/**
 * Options under which the model makes calls, each of which would leave a file of its own name.
 * @typedef {object} Trial
 * @property {import("hawser").SessionOptions} options
 * @property {readonly (readonly string[])[]} turns the names of the calls, turn by turn
 */

/** @type {import("hawser").HookCallback<"PreToolUse">} */
const hook = ({ tool_input }) => {
  const name = /hook-[a-z]+/.exec(JSON.stringify(tool_input))?.[0];
  if (name === "hook-deny") {
    return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } };
  }
  if (name === "hook-block") return { decision: "block", reason: "no" };
  if (name === "hook-throw") throw new Error("broken");
  if (name === "hook-nonsense") return /** @type {any} */ ("no");
  return name === "hook-late" ? new Promise(() => {}) : undefined;
};

/** @type {import("hawser").CanUseTool} */
const callback = (_, input) => {
  const name = /callback-[a-z]+/.exec(JSON.stringify(input))?.[0] ?? "";
  if (name === "callback-throw") throw new Error("broken");
  if (name === "callback-nonsense") return /** @type {any} */ ({ behavior: "maybe" });
  return name === "callback-allow" ? { behavior: "allow" } : { behavior: "deny", message: "no" };
};

/** @satisfies {Record<string, Trial>} */
export const TRIALS = {
  /** Everything is allowed by name, so that only the guards can refuse. */
  guards: {
    options: {
      allowedTools: ["Bash", "Write"],
      disallowedTools: ["Bash(mkdir:*)", "Write"],
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook], timeout: 1 }] },
    },
    turns: [
      ["unguarded", "rule", "denied-tool"],
      ["hook-deny", "hook-block", "hook-throw", "hook-nonsense"],
      ["hook-late"],
    ],
  },
  settings: {
    options: {
      allowedTools: ["Bash"],
      settings: { permissions: { deny: ["Bash(mkfifo:*)"] } },
    },
    turns: [["unguarded", "settings-rule"]],
  },
  callback: {
    options: { canUseTool: callback },
    turns: [["callback-allow", "callback-deny", "callback-throw", "callback-nonsense"]],
  },
  policy: {
    options: {
      allowedTools: ["Bash"],
      rules: [
        { tool: "Bash", input: { command: "*policy-deny*" }, decision: "deny" },
        { tool: "Bash", decision: "allow" },
      ],
    },
    turns: [["policy-allow", "policy-deny"]],
  },
  nobody: { options: {}, turns: [["nobody", "edit"]] },
};

/**
 * Plays a trial in every mode, each in a session of its own. The same trial on the same CLI is played once,
 * because several checks read its outcome.
 * @param {{ version: string, path: string }} cli
 * @param {keyof typeof TRIALS} name
 * @returns {Promise<readonly InMode[]>}
 */
export function playTrial(cli, name) {
  const key = `${name} on ${cli.path}`;
  const played = plays.get(key) ?? inEveryMode(cli, TRIALS[name]);
  plays.set(key, played);
  return played;
}

/** @type {Map<string, Promise<readonly InMode[]>>} */
const plays = new Map();

/** @param {{ version: string, path: string }} cli @param {Trial} trial */
async function inEveryMode(cli, trial) {
  /** @type {InMode[]} */
  const seen = [];
  for (const mode of MODES) seen.push(await inMode(cli, trial, mode));
  return seen;
}

/**
 * @param {{ version: string, path: string }} cli
 * @param {Trial} trial
 * @param {Mode} mode
 * @returns {Promise<InMode>}
 */
async function inMode(cli, { options, turns }, mode) {
  const place = new Place(cli);
  try {
    const ran = await playTurns(place, turns, { ...options, ...startIn(mode) });
    return { mode, ran };
  } catch (error) {
    if (!isHawserError(error, "unsupported_by_cli")) throw error;
    return { mode, refused: error };
  } finally {
    await place.close();
  }
}

/**
 * The options that start a session in a mode.
 * @param {Mode} mode
 */
export function startIn(mode) {
  return mode === "bypassPermissions"
    ? { permissionMode: mode, allowDangerouslySkipPermissions: true }
    : { permissionMode: mode };
}

/**
 * Lets the model make the calls, turn by turn, and tells which of them ran.
 * @param {Place} place
 * @param {readonly (readonly string[])[]} turns
 * @param {import("hawser").SessionOptions} options
 * @param {(session: import("hawser").Session) => Promise<unknown>} [prepare]
 */
export async function playTurns(place, turns, options, prepare = async () => {}) {
  const waiting = turns.map((names) => names.map((name) => ({ name })));
  const world = await place.world(
    ({ prompt, toolResults }) => {
      const turn =
        prompt.includes("try it") && toolResults.length === 0 ? waiting.shift() : undefined;
      return turn === undefined ? "done" : turn.map(({ name }) => callOf(world.cwd, name));
    },
    { extra: { IS_SANDBOX: "1" } },
  );
  const session = await place.session({ ...world.options, ...options });
  await prepare(session);
  for (const _ of turns) await session.send("try it").result;
  if (waiting.length > 0) throw new Error(`${waiting.length} turns did not reach the model`);
  await session.close();
  return Object.fromEntries(turns.flat().map((name) => [name, existsSync(join(world.cwd, name))]));
}

/**
 * A call that leaves a file of this name.
 * @param {string} cwd
 * @param {string} name
 */
function callOf(cwd, name) {
  if (name === "edit" || name === "denied-tool") {
    return toolUse("Write", { file_path: join(cwd, name), content: "x" });
  }
  // In a shell of its own, because some modes allow a plain `touch` as an edit of a file.
  const other = { rule: "mkdir rule", "settings-rule": "mkfifo settings-rule" };
  const command = other[name] ?? `sh -c 'touch ${name}'`;
  return toolUse("Bash", { command, description: "d" });
}
