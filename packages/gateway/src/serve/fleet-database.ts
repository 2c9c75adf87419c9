import { resolve } from "node:path";
import type { Issue } from "hawser";
import type { FleetConfig } from "../config/gateway-config.js";

/** A database of a fleet, as `openFleet()` of `@hawser/fleet` takes it. */
export type FleetDatabase = string | { readonly folder: string };

export interface FleetDatabaseFacts {
  readonly config: FleetConfig | undefined;
  /** What the command line names, as a URL or a path from the current directory. */
  readonly given: FleetDatabase | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Where relative folders of the configuration start. */
  readonly folder: string;
  readonly issues: Issue[];
}

/** The database of the server's fleet; undefined for a server without a fleet. */
export function fleetDatabase(facts: FleetDatabaseFacts): FleetDatabase | undefined {
  const { config, given, env, folder, issues } = facts;
  if (given !== undefined) return given;
  if (config === undefined) return undefined;
  const { database, databaseEnv } = config;
  if (databaseEnv !== undefined && (env[databaseEnv] ?? "") === "") {
    const message = `the environment variable ${databaseEnv} is not set`;
    issues.push({ path: "fleet.databaseEnv", message });
  }
  const named = database ?? env[databaseEnv ?? "HAWSER_DATABASE"];
  const place = named === undefined || named === "" ? ".hawser/fleet" : named;
  if (/^postgres(ql)?:\/\//i.test(place)) return place;
  return { folder: resolve(folder, place) };
}
