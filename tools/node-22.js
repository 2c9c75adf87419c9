// The executable of a Node for the packages that need Node 22.12. Where this program runs on an older Node, it is the
// one of the npm package in tools/node-22. That folder is installed by itself: in the project's own node_modules, npm
// would put it in front of the machine's Node for every script.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("node-22", import.meta.url));
const INSTALLED = `${FOLDER}/node_modules/node-22/bin/node`;

/** The Node that runs this program or, if it is older, that of tools/node-22. */
export function node22() {
  if (isNewEnough()) return process.execPath;
  if (existsSync(INSTALLED)) return INSTALLED;
  throw new Error(
    "packages/fleet needs Node 22.12: run `npm --prefix tools/node-22 ci`, or use a newer Node.",
  );
}

/** Installs tools/node-22 if it is needed and missing. */
export function installNode22() {
  if (isNewEnough() || existsSync(INSTALLED)) return;
  process.stdout.write("Installing Node 22 into tools/node-22, once ...\n");
  execFileSync("npm", ["--prefix", FOLDER, "ci", "--silent"], { stdio: "inherit" });
}

function isNewEnough() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 12);
}
