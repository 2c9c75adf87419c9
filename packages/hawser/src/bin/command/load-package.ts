import { HawserError } from "../../base/index.js";

/** A package of hawser that a command needs. hawser itself does not depend on it. */
export interface NeededPackage {
  /** What is imported, such as `@hawser/gateway/serve`. */
  readonly specifier: string;
  /** The command that needs it, such as `hawser serve`. */
  readonly command: string;
  /** The oldest Node that the package runs on, if it is newer than the oldest one of hawser. */
  readonly leastNode?: readonly [major: number, minor: number];
}

/**
 * Loads a package from where hawser itself is installed, never from the current directory: a folder must not be
 * able to bring a program that a command runs. The version of Node is checked first, because a package can fail
 * in any way on a Node that is too old for it.
 */
export async function loadPackage<Module>(needed: NeededPackage): Promise<Module> {
  const { specifier, command, leastNode } = needed;
  const name = specifier.split("/").slice(0, 2).join("/");
  if (leastNode !== undefined && !isAtLeast(process.versions.node, leastNode)) {
    const least = leastNode.join(".");
    throw new HawserError(
      "not_supported",
      `\`${command}\` needs Node ${least} or newer; this is Node ${process.versions.node}.`,
      { hint: `Run hawser with Node ${least} or newer. ${WITHOUT_FLEET}` },
    );
  }
  try {
    return await import(specifier);
  } catch (error) {
    if (!isMissing(error, name)) throw error;
    throw new HawserError("not_supported", `\`${command}\` needs the package ${name}.`, {
      hint: `Install it beside hawser: \`npm install ${name}\`, or \`npm install -g ${name}\` for a global hawser.`,
      cause: error,
    });
  }
}

const WITHOUT_FLEET =
  "With this one, all commands work except submit, runs, approve, worker and fleet, and --database of inspect and serve.";

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [isMajor = 0, isMinor = 0] = version.split(".").map(Number);
  return isMajor > major || (isMajor === major && isMinor >= minor);
}

/** Whether the package itself is missing, and not something that it imports. */
function isMissing(error: unknown, name: string): boolean {
  const { code, message = "" } = error as NodeJS.ErrnoException;
  return code === "ERR_MODULE_NOT_FOUND" && message.includes(`'${name}'`);
}
