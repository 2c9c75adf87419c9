import { HawserError, type Logger } from "hawser";
import { holdsCluster } from "../database/embedded/cluster-folder.js";
import type { Fleet } from "../fleet.js";
import { openFleet } from "../open-fleet.js";
import { oneLine } from "./printable.js";
import type { CommandShell } from "./shell.js";

/** Which fleet a command means. */
export interface FleetPlace {
  readonly database: string | { readonly folder: string };
  /** Whether only runs with the simulated model are meant. */
  readonly isOffline: boolean;
  /** The flags with which another command means the same fleet, such as ` --offline`, with a blank before each. */
  readonly flags: string;
}

/**
 * Opens the fleet of a place, and closes it when the work is over. Only commands that bring work make a fleet, or
 * change the tables of an older one: somebody who looks must not create a database by accident.
 */
export async function withFleet(
  place: FleetPlace,
  shell: CommandShell,
  how: "create" | "existing",
  work: (fleet: Fleet) => Promise<number>,
): Promise<number> {
  const { database } = place;
  if (how === "existing") refuseMissing(database, place.isOffline);
  const fleet = await openFleet({
    database,
    migrate: how === "create",
    logger: warningsOf(shell),
  });
  try {
    return await work(fleet);
  } finally {
    await fleet.close();
  }
}

function refuseMissing(database: FleetPlace["database"], isOffline: boolean): void {
  if (typeof database === "string" || holdsCluster(database.folder)) return;
  const submit = isOffline ? "`hawser submit --offline`" : "`hawser submit`";
  const offline = isOffline ? "" : " The runs of --offline are shown with --offline.";
  throw new HawserError("invalid_options", `There is no fleet in ${database.folder}.`, {
    hint: `${submit} makes one.${offline} Name another one with --database.`,
  });
}

/** Only what a user of a command should know. */
function warningsOf({ terminal }: CommandShell): Logger {
  const warn = (message: string, facts?: Readonly<Record<string, unknown>>) => {
    const error = facts?.["error"];
    terminal.warn(error instanceof Error ? `${message} ${oneLine(error.message, 300)}` : message);
  };
  return { debug() {}, info() {}, warn, error: warn };
}
