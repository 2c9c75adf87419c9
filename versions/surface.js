// What a version of the CLI and of the official SDK shows of itself, without a call to the model.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Place } from "./place.js";

/**
 * @typedef {object} Surface
 * @property {string[]} flags the flags that `--help` names
 * @property {string[]} capabilities what the CLI names in its answer to initialize
 * @property {string[]} words the types and subtypes of messages and control requests that the SDK declares
 * @property {string[]} exports the names that the SDK declares
 */

/**
 * @param {{ version: string, path: string }} cli
 * @param {string} sdk folder of the installed SDK
 * @returns {Promise<Surface>}
 */
export async function surfaceOf(cli, sdk) {
  const declarations = readFileSync(join(sdk, "sdk.d.ts"), "utf8");
  return {
    flags: await flagsOf(cli),
    capabilities: await capabilitiesOf(cli),
    words: found(declarations, /\b(?:type|subtype|hook_event_name): ['"]([\w./-]+)['"]/g),
    exports: found(
      declarations,
      /^export (?:declare )?(?:type|const|function|class|interface) (\w+)/gm,
    ),
  };
}

/** @param {{ version: string, path: string }} cli */
async function flagsOf({ path }) {
  const [file, ...argv] = path.endsWith(".js")
    ? [process.execPath, path, "--help"]
    : [path, "--help"];
  const { stdout } = await promisify(execFile)(file, argv, { maxBuffer: 10_000_000 });
  return found(stdout, /(?<![\w-])(--[a-z][a-z-]+)/g);
}

/** @param {{ version: string, path: string }} cli */
async function capabilitiesOf(cli) {
  const place = new Place(cli);
  try {
    const { options } = await place.world(["ok"]);
    const { capabilities = [] } = /** @type {{ capabilities?: string[] }} */ (
      (await place.session(options)).info
    );
    return [...capabilities].sort();
  } finally {
    await place.close();
  }
}

/**
 * @param {string} text
 * @param {RegExp} pattern
 */
function found(text, pattern) {
  return [...new Set([...text.matchAll(pattern)].map(([, name]) => String(name)))].sort();
}

/**
 * The names that are only in the second list, and those that are only in the first.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
export function changes(before, after) {
  return {
    added: after.filter((name) => !before.includes(name)),
    removed: before.filter((name) => !after.includes(name)),
  };
}
