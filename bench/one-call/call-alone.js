import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PROGRAM = fileURLToPath(new URL("./program.js", import.meta.url));

export const LIBRARIES = ["hawser", "official"];

/** Makes one call in a fresh process. Returns the cost that the program measured. */
export async function callAlone(library, way, { cli, cwd, env }) {
  const options = JSON.stringify({ cli, cwd, env });
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, library, way, options]);
  return JSON.parse(stdout);
}
