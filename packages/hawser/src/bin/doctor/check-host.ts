import { compareVersions, parseVersion } from "../../options/index.js";
import { credentialMixes, findOrphans } from "../../process/index.js";
import {
  type Check,
  type CheckContext,
  type Finding,
  note,
  ok,
  problem,
  warning,
} from "./finding.js";

/** Checks the runtime, the user and the variables of this program. */
export const checkHost: Check = (context) => [
  node(),
  ...nested(context),
  ...root(context),
  ...ownVariables(context),
];

/** Looks for processes and folders that killed programs have left behind. */
export const checkOrphans: Check = () => {
  const { processes, folders, seesProcesses } = findOrphans();
  const blind = seesProcesses
    ? []
    : [note("orphans", "hawser cannot list processes on this system.")];
  if (processes.length + folders.length === 0) {
    return [...blind, ok("orphans", "killed programs left nothing behind")];
  }
  const left = [
    ...(processes.length === 0 ? [] : [`processes (${processes.length})`]),
    ...(folders.length === 0 ? [] : [`folders (${folders.length})`]),
  ];
  const message = `Killed programs left ${left.join(" and ")} behind; the folders may hold secrets.`;
  const remedy = "`hawser doctor --orphans` lists them; add `--end` to end and remove them.";
  return [...blind, warning("orphans", message, remedy)];
};

/** Whether a living program gives its CLIs different credentials under one user. */
export const checkCredentialMix: Check = () =>
  credentialMixes().map(({ hostPid, credentials }) =>
    warning(
      "credential-mix",
      `Program ${hostPid} runs CLIs with ${credentials} different credentials under one user, so a command of one CLI can read the keys of the others.`,
      "Give each tenant a `user` of its own, a container, or a worker of its own.",
    ),
  );

/** The oldest supported version of Node. A test compares it with `engines` in package.json. */
export const OLDEST_NODE = "20.19.0";

function node(): Finding {
  const { bun, deno, node: version = "" } = process.versions;
  if (bun !== undefined || deno !== undefined) {
    return note("node", `Running on ${bun === undefined ? `Deno ${deno}` : `Bun ${bun}`}.`);
  }
  const [mine, oldest] = [parseVersion(version), parseVersion(OLDEST_NODE)];
  const isOld = mine !== undefined && oldest !== undefined && compareVersions(mine, oldest) < 0;
  if (!isOld) return ok("node", version);
  const message = `Node ${version} is older than ${OLDEST_NODE}.`;
  return problem("node", "not_supported", message, "Update Node.");
}

function nested({ env }: CheckContext): Finding[] {
  if (env["CLAUDECODE"] === undefined) return [];
  const message =
    "Running inside a Claude Code session (CLAUDECODE is set). hawser does not pass its markers on to the CLI, but ClaudeCliProvider refuses to run here.";
  const remedy = 'Unset CLAUDECODE, or give ClaudeCliProvider `nested: "strip"`.';
  return [warning("nested", message, remedy, "nested_session")];
}

function root({ env }: CheckContext): Finding[] {
  if (process.getuid?.() !== 0) return [];
  if (env["IS_SANDBOX"] === "1") return [ok("root", "root, in a sandbox (IS_SANDBOX=1)")];
  const message = "Running as root: the CLI refuses to skip permissions.";
  const remedy =
    "Use another permission mode or another user. In a sandbox or a container, set IS_SANDBOX=1.";
  return [warning("root", message, remedy, "root_refused")];
}

function ownVariables({ env }: CheckContext): Finding[] {
  const trace = env["HAWSER_TRACE"];
  return [
    ...(trace
      ? [note("trace", `Every message is written to ${trace} (HAWSER_TRACE), prompts included.`)]
      : []),
    ...(env["HAWSER_WATCHDOG"] === "off"
      ? [
          warning(
            "watchdog",
            "HAWSER_WATCHDOG=off: when a program is killed, the processes that it started keep running.",
            "Unset HAWSER_WATCHDOG.",
          ),
        ]
      : []),
    ...(env["NODE_OPTIONS"]
      ? [note("node-options", "NODE_OPTIONS is not passed on to the CLI.")]
      : []),
  ];
}
