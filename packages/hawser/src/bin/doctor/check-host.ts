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
  const blind = seesProcesses ? [] : [note("orphans", "Processes cannot be seen here.")];
  if (processes.length + folders.length === 0) {
    return [...blind, ok("orphans", "nothing is left of killed programs")];
  }
  const left = [
    ...(processes.length === 0 ? [] : [`processes (${processes.length})`]),
    ...(folders.length === 0 ? [] : [`folders (${folders.length})`]),
  ];
  const message = `Killed programs have left ${left.join(" and ")}; the folders may hold secrets.`;
  const remedy = "`hawser doctor --orphans` lists them, with `--end` it ends and removes them.";
  return [...blind, warning("orphans", message, remedy)];
};

/** Whether a living program gives its CLIs different credentials under one user. */
export const checkCredentialMix: Check = () =>
  credentialMixes().map(({ hostPid, credentials }) =>
    warning(
      "credential-mix",
      `Program ${hostPid} runs CLIs with ${credentials} different credentials under one user: a command of one can read the keys of the others.`,
      "Give each tenant a `user` of its own, a container, or a worker of its own.",
    ),
  );

/** The oldest supported version of Node. A test compares it with `engines` in package.json. */
export const OLDEST_NODE = "20.19.0";

function node(): Finding {
  const { bun, deno, node: version = "" } = process.versions;
  if (bun !== undefined || deno !== undefined) {
    return note("node", `This runs on ${bun === undefined ? `Deno ${deno}` : `Bun ${bun}`}.`);
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
    "This runs inside a Claude Code session (CLAUDECODE). Its markers are not passed on, but ClaudeCliProvider refuses to work here.";
  const remedy = 'Unset CLAUDECODE, or choose `nested: "strip"` there.';
  return [warning("nested", message, remedy, "nested_session")];
}

function root({ env }: CheckContext): Finding[] {
  if (process.getuid?.() !== 0) return [];
  if (env["IS_SANDBOX"] === "1") return [ok("root", "root, in a sandbox (IS_SANDBOX=1)")];
  const message = "This runs as root: the CLI refuses to skip permissions.";
  const remedy =
    "Use another permission mode or another `user`; inside a sandbox or a container set IS_SANDBOX=1.";
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
            "HAWSER_WATCHDOG=off: what a killed program has started lives on.",
            "Unset HAWSER_WATCHDOG.",
          ),
        ]
      : []),
    ...(env["NODE_OPTIONS"]
      ? [note("node-options", "NODE_OPTIONS is not passed on to the CLI.")]
      : []),
  ];
}
