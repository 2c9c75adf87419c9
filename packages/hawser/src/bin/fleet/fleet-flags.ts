import { resolve } from "node:path";
import { durationOf } from "../command/call-flags.js";
import { type Flags, type Given, usageError } from "../command/flags.js";
import { quoteForShell } from "../command/quote-for-shell.js";
import { offlineFleetFolder } from "../offline/sessions-folder.js";

/** The flags that all commands of the fleet share. */
export const FLEET_FLAGS = {
  database: {
    value: "place",
    help: "Postgres URL or folder (default: HAWSER_DATABASE, else .hawser/fleet)",
  },
  offline: { help: "Use the runs with the simulated model: no account, no network" },
  json: { help: "Print JSON" },
} as const satisfies Flags;

/** Which fleet a command means. */
export interface FleetPlace {
  readonly database: string | { readonly folder: string };
  /** Whether only runs with the simulated model are meant. */
  readonly isOffline: boolean;
  /** The flags with which another command means the same fleet, such as ` --offline`, with a blank before each. */
  readonly flags: string;
}

/**
 * Where the fleet is. The runs of `--offline` are in a folder of their own, so that no worker with an account
 * takes them, and no simulated model answers a real one.
 */
export function fleetPlace(
  { database, offline }: Pick<Given<typeof FLEET_FLAGS>, "database" | "offline">,
  env: NodeJS.ProcessEnv = process.env,
): FleetPlace {
  const named = database ?? (offline ? undefined : env["HAWSER_DATABASE"] || undefined);
  const flags = offline ? " --offline" : "";
  if (named !== undefined) {
    const found = databaseOf("--database", named);
    // The next command reads the variable as well, unless it has --offline.
    const isFlag = database !== undefined;
    return {
      database: found,
      isOffline: offline,
      flags: isFlag ? `${flags} --database ${wordFor(found)}` : flags,
    };
  }
  if (!offline) return { database: { folder: resolve(USUAL_FOLDER) }, isOffline: false, flags };
  const folder = offlineFleetFolder(env);
  if (folder !== undefined) return { database: { folder }, isOffline: true, flags };
  throw usageError(
    "There is no home folder for the runs of --offline.",
    "Set HOME, or name a folder with --database.",
  );
}

/** A word that names the database in a command. A password is not printed, so it has to be filled in. */
function wordFor(database: FleetPlace["database"]): string {
  if (typeof database !== "string") return quoteForShell(database.folder);
  return quoteForShell(database.replace(/^(\w+:\/\/[^/?#]*?):[^/?#]*@/, "$1:PASSWORD@"));
}

/** Where `openFleet()` keeps its database too, unless it is told otherwise. */
const USUAL_FOLDER = ".hawser/fleet";

/** The database that a flag names: a URL, or a folder. */
export function databaseOf(flag: string, named: string): FleetPlace["database"] {
  if (named === ":memory:") {
    throw usageError(
      `${flag} :memory: ends with the command, so no other command would see the runs.`,
      "Name a folder or a URL.",
    );
  }
  // With a mistake in it, it is still meant as a URL. The fleet then says what is wrong.
  if (/^postgres(ql)?:/i.test(named)) return named;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(named)) {
    throw usageError(
      `${flag} takes the URL of a Postgres or a folder, not ${named.slice(0, named.indexOf(":"))}://.`,
      "A URL looks like postgres://user@host/database.",
    );
  }
  return { folder: resolve(named) };
}

/** A moment: a time from now such as 30m, or a date such as 2026-12-24T18:00:00Z. */
export function momentOf(flag: string, text: string, now: number = Date.now()): Date {
  const isTime = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)?$/.test(text);
  const moment = isTime ? now + durationOf(flag, text) : Date.parse(text);
  if (Number.isNaN(moment)) {
    throw usageError(
      `${flag} must be a time from now such as 30m, or a date such as 2026-12-24T18:00:00Z, not ${text}.`,
    );
  }
  if (moment <= now) throw usageError(`${flag} ${text} is in the past.`);
  return new Date(moment);
}

/** One of the words that a flag takes. */
export function oneOf<Word extends string>(
  flag: string,
  text: string,
  words: readonly Word[],
): Word {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw usageError(
    `${flag} must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}, not ${text}.`,
  );
}
