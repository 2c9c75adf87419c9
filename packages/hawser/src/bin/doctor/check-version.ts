import { type Environment, isHawserError, oneLine } from "../../base/index.js";
import {
  buildInvocation,
  compareVersions,
  KEPT_SINCE,
  OPTION_TABLE,
  parseVersion,
  type Version,
} from "../../options/index.js";
import { type CliLocation, probeVersion, type VersionProbe } from "../../process/index.js";
import { describeHint, describeMessage } from "../command/describe-error.js";
import { type Finding, ok, problem, warning } from "./finding.js";

/** Checks that the CLI starts, that it is Claude Code, which options its version lacks, and what hawser refuses on it. */
export async function checkVersion(
  location: CliLocation,
  env: Environment,
  /** The problem of the file, if it can be found without running it. */
  broken: () => Finding | undefined,
): Promise<Finding[]> {
  const { path } = location;
  const probe = await ask(location, env);
  if ("id" in probe) return [broken() ?? probe];
  const { version, text, failed } = probe;
  if (failed) {
    const message = `${path} failed when asked for its version: ${oneLine(text, LONGEST)}.`;
    return [broken() ?? problem("cli-start", "cli_not_runnable", message)];
  }
  if (version === undefined) return [notTheCli(path, text)];
  return [...doubt(path, text), ...abilities(version)];
}

const LONGEST = 200;

async function ask(location: CliLocation, env: Environment): Promise<VersionProbe | Finding> {
  try {
    return await probeVersion(location, { env });
  } catch (error) {
    if (!isHawserError(error)) throw error;
    return problem("cli-start", error.code, describeMessage(error), describeHint(error));
  }
}

/** All versions of the CLI name themselves. */
const NAME = "(Claude Code)";

function notTheCli(path: string, text: string): Finding {
  const answer = text === "" ? "nothing" : JSON.stringify(oneLine(text, LONGEST));
  const message = `${path} is not the Claude Code CLI: asked for its version, it printed ${answer}.`;
  return problem(
    "cli-start",
    "cli_not_runnable",
    message,
    "Set --cli or HAWSER_CLI to the path of `claude`.",
  );
}

function doubt(path: string, text: string): Finding[] {
  if (text.includes(NAME)) return [];
  const message = `${path} may not be the Claude Code CLI: its version is ${JSON.stringify(oneLine(text, LONGEST))}.`;
  return [
    warning(
      "cli-start",
      message,
      "Set --cli or HAWSER_CLI to the path of `claude`.",
      "cli_not_runnable",
    ),
  ];
}

function abilities(version: Version): Finding[] {
  const refused = tooOld(version);
  return refused === undefined ? [missingOptions(version), ...refusals(version)] : [refused];
}

function missingOptions(version: Version): Finding {
  const name = version.join(".");
  const lacks = Object.entries(OPTION_TABLE).flatMap(([option, { since }]) =>
    isBefore(version, since) ? [`${option} (${since})`] : [],
  );
  if (lacks.length === 0) return ok("cli-version", `${name}, supports every option`);
  const message = `${name} lacks ${lacks.length === 1 ? "an option" : `${lacks.length} options`}. In brackets, the first version that has it: ${lacks.join(", ")}.`;
  const remedy = "Update the CLI with `claude update` or npm, or do not use these options.";
  return warning("cli-version", message, remedy, "unsupported_by_cli");
}

/** What this version accepts and does not keep, so that hawser refuses it, whatever `onOldCli` says. */
function refusals(version: Version): Finding[] {
  return Object.values(KEPT_SINCE).flatMap(({ what, since, before, instead }) => {
    if (!isBefore(version, since)) return [];
    const message = `${what} is refused: it needs Claude Code ${since} or newer, because an older one ${before}.`;
    const remedy = `Update the CLI with \`claude update\` or npm, or ${instead}.`;
    return [warning("cli-refused", message, remedy, "unsupported_by_cli")];
  });
}

function isBefore(version: Version, since: string | undefined): boolean {
  const first = since === undefined ? undefined : parseVersion(since);
  return first !== undefined && compareVersions(version, first) < 0;
}

/** The error of a call without any option, if the version is too old for it. */
function tooOld(version: Version): Finding | undefined {
  try {
    const host = { env: {}, platform: process.platform, execPath: "node", privateDir: "/" };
    buildInvocation({}, { path: "claude", version }, host);
    return undefined;
  } catch (error) {
    if (!isHawserError(error)) throw error;
    return problem("cli-version", error.code, error.message, describeHint(error));
  }
}
