import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { HawserError } from "hawser";
import { checkConfig } from "./check-config.js";
import type { GatewayConfig } from "./gateway-config.js";

/** A configuration and where it came from. */
export interface LoadedConfig {
  readonly config: GatewayConfig;
  /** The file; `undefined` if there is none, so that the defaults apply. */
  readonly file: string | undefined;
  /** Relative paths in the configuration start here. */
  readonly folder: string;
}

/** The names of the file, in a folder. Only one of them may exist. */
export const CONFIG_FILES: readonly string[] = [
  "hawser.config.json",
  "hawser.config.js",
  "hawser.config.mjs",
  "hawser.config.ts",
];

/**
 * Finds the configuration: `given`, or the one file in the folder. Throws `invalid_options` if `given` does not
 * exist, or if the folder has two of them.
 */
export function findConfig(folder: string, given?: string): string | undefined {
  if (given !== undefined) {
    const file = resolve(folder, given);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
    throw invalid(`There is no configuration file ${file}.`, "Correct --config.");
  }
  const found = CONFIG_FILES.filter((name) => existsSync(join(folder, name)));
  if (found.length > 1) {
    throw invalid(
      `The folder ${folder} has ${found.join(" and ")}.`,
      "Keep one of them, or name one with --config.",
    );
  }
  return found[0] === undefined ? undefined : join(folder, found[0]);
}

/**
 * Reads a configuration and checks it. A module is loaded anew each time, but Node keeps the modules that it
 * imports: changes in them need a restart.
 */
export async function loadConfig(file: string | undefined, cwd: string): Promise<LoadedConfig> {
  if (file === undefined) return { config: {}, file, folder: cwd };
  const value = extname(file) === ".json" ? readJson(file) : await importDefault(file);
  return { config: checkConfig(value, file), file, folder: dirname(file) };
}

function readJson(file: string): unknown {
  const source = readFileSync(file, "utf8");
  try {
    return JSON.parse(source.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw invalid(`${file} is not JSON: ${(error as Error).message}.`, "Correct the file.", error);
  }
}

async function importDefault(file: string): Promise<unknown> {
  if (/\.[cm]?ts$/.test(file)) refuseWithoutTypes(file);
  // A CommonJS file has a cache of its own, which ignores the query of the address.
  delete createRequire(file).cache[file];
  loads += 1;
  const module = await importAnew(`${pathToFileURL(file).href}?load=${loads}`, file);
  if (module.default !== undefined) return module.default;
  throw invalid(
    `${file} has no default export.`,
    "Write `export default defineConfig({ … })` in the file.",
  );
}

let loads = 0;

async function importAnew(address: string, file: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(address);
  } catch (error) {
    throw invalid(`${file} cannot be loaded: ${textOf(error)}`, "Correct the file.", error);
  }
}

/** Types of `@types/node` 20 do not know this feature. */
interface Features {
  readonly typescript?: "strip" | "transform" | false;
}

function refuseWithoutTypes(file: string): void {
  if ((process.features as Features).typescript) return;
  throw invalid(
    `${file} is TypeScript, and this Node (${process.version}) does not strip types.`,
    "Use Node 22.18 or newer, or write the configuration as hawser.config.mjs or hawser.config.json.",
  );
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function invalid(message: string, hint: string, cause?: unknown): HawserError {
  return new HawserError("invalid_options", message, {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });
}
