import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { HawserError } from "hawser";
import type { WorkOptions } from "../worker/worker.js";

/** What a module of profiles may export: what `fleet.work()` takes and flags cannot say. */
export type ProfilesModule = Pick<
  WorkOptions,
  "profiles" | "workspace" | "credential" | "approve" | "onUncertain" | "onRecover"
>;

/**
 * Loads the module that `--profiles` names. It exports `profiles` and, if it wants to, the functions of a worker;
 * or all of them as one object, its default export.
 */
export async function loadProfiles(path: string): Promise<ProfilesModule> {
  if (!existsSync(path)) throw unusable(path, "does not exist.");
  let module: Record<string, unknown>;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (error) {
    throw unusable(
      path,
      `cannot be loaded: ${error instanceof Error ? error.message : error}`,
      error,
    );
  }
  const exported = isObject(module["default"]) ? module["default"] : module;
  for (const name of Object.keys(exported)) {
    if (name === "default" || NAMES.some((known) => known === name)) continue;
    throw unusable(path, `exports ${JSON.stringify(name)}. It may export ${NAMES.join(", ")}.`);
  }
  const { profiles } = exported;
  if (!isObject(profiles) || Object.keys(profiles).length === 0) {
    throw unusable(path, "exports no profiles: `export const profiles = { default: {} };`.");
  }
  for (const [name, profile] of Object.entries(profiles)) {
    if (isObject(profile) || typeof profile === "function") continue;
    throw unusable(
      path,
      `exports the profile ${JSON.stringify(name)}, which is neither options nor a function.`,
    );
  }
  return exported as unknown as ProfilesModule;
}

const NAMES = [
  "profiles",
  "workspace",
  "credential",
  "approve",
  "onUncertain",
  "onRecover",
] as const satisfies readonly (keyof ProfilesModule)[];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function unusable(path: string, why: string, cause?: unknown): HawserError {
  return new HawserError("invalid_options", `--profiles ${path} ${why}`, {
    hint: "`hawser worker --help` says what it exports. docs/command.md has an example, profiles.mjs.",
    ...(cause === undefined ? {} : { cause }),
  });
}
