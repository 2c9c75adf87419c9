import { realpathSync, statSync } from "node:fs";
import { isHawserError } from "../../base/index.js";
import {
  type CliLocation,
  describeReason,
  describeUnrunnable,
  type InspectedPath,
  inspectSearchPaths,
  locateCli,
  whyUnrunnable,
} from "../../process/index.js";
import { describeHint, describeMessage } from "../command/describe-error.js";
import { checkVersion } from "./check-version.js";
import {
  type Check,
  type CheckContext,
  type Finding,
  note,
  ok,
  problem,
  warning,
} from "./finding.js";

/** Finds out which CLI is used, whether it starts, what it supports, and whether there are others. */
export const checkExecutable: Check = async (context) => {
  const location = find(context);
  const places = inspectSearchPaths({ env: context.env });
  if ("id" in location) return [location, ...passedOver(places)];
  const { path, source } = location;
  const broken = () => brokenFile(path);
  return [
    ok("cli", `${path} (${WORDS[source]})`),
    ...(await checkVersion(location, context.env, broken)),
    ...others(location, places),
    ...(source === "option" || source === "HAWSER_CLI"
      ? []
      : passedOver(places.filter((each) => !isSameFile(each.path, path)))),
  ];
};

const WORDS: Readonly<Record<CliLocation["source"], string>> = {
  option: "set by --cli",
  HAWSER_CLI: "set by HAWSER_CLI",
  cwd: "in node_modules of the current directory",
  bundled: "bundled with the program",
  package: "from an npm package installed together with hawser",
  PATH: "found on PATH",
  usual_place: "not on PATH; found where installers put it",
};

function find({ cliPath, env }: CheckContext): CliLocation | Finding {
  try {
    return locateCli({ cliPath, env });
  } catch (error) {
    if (!isHawserError(error)) throw error;
    const { code, message, tried } = error;
    const remedy = message.includes(STUB) ? STUB_REMEDY : describeHint(error);
    const places = tried === undefined ? "" : ` Tried: ${tried.join(", ")}.`;
    return problem("cli", code, describeMessage(error), `${remedy}${places}`);
  }
}

const STUB = "the npm package's stub";
const STUB_REMEDY =
  "Run `node install.cjs` in the package's folder, or reinstall it with scripts allowed and optional dependencies included.";

/** A file that is named like the CLI, but cannot be run or must not be run. */
function passedOver(places: readonly InspectedPath[]): Finding[] {
  return places.flatMap(({ path, candidate, source }) => {
    if (candidate.state === "refused") {
      const why =
        source === "cwd"
          ? "it is in node_modules of the current directory"
          : describeReason(candidate.reason);
      const message = `${path} is not used: ${why}.`;
      return [note("cli-passed-over", message, "If you trust it, choose it with --cli.")];
    }
    // A folder named `claude` is not a broken CLI.
    if (candidate.state !== "unusable" || candidate.reason.code === "directory") return [];
    const message = `${path} is skipped: ${describeReason(candidate.reason)}.`;
    const remedy = candidate.reason.code === "npm_stub" ? STUB_REMEDY : "Repair or remove it.";
    return [warning("cli-passed-over", message, remedy, "cli_not_runnable")];
  });
}

/** Other executables that a shell would start as `claude`. */
function others({ path, source }: CliLocation, places: readonly InspectedPath[]): Finding[] {
  const onPath = places.filter(
    (each) => each.source === "PATH" && each.candidate.state === "usable",
  );
  const files = [...new Set(onPath.map(({ path }) => realpathSync(path)))];
  const different = files.filter((each) => !isSameFile(each, path));
  if (different.length === 0) return [];
  const list = different.join(", ");
  if (source === "option" || source === "HAWSER_CLI") {
    return [note("cli-others", `There is another claude on PATH: ${list}.`)];
  }
  const remedy = "Remove the one you do not need, or choose one with --cli or HAWSER_CLI.";
  return [
    source === "PATH"
      ? warning("cli-others", `It hides another claude later on PATH: ${list}.`, remedy)
      : warning("cli-others", `A shell would start another claude: ${list}.`, remedy),
  ];
}

/** npm keeps the same executable in two packages, so two files of the same size count as the same. */
function isSameFile(path: string, other: string): boolean {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  return size !== undefined && size === statSync(other).size;
}

function brokenFile(path: string): Finding | undefined {
  const why = whyUnrunnable(path);
  if (why === undefined) return undefined;
  const { reason, remedy } = describeUnrunnable(why);
  return problem("cli-start", "cli_not_runnable", `${path} cannot start: ${reason}.`, remedy);
}
