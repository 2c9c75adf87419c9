import { HawserError } from "hawser";
import type { Database } from "../database/database.js";
import { openDatabase } from "../database/open-database.js";
import { copyFleet } from "../engine/copy-fleet.js";
import { moveFolder } from "../engine/move-folder.js";
import { openEngine } from "../engine/open-engine.js";
import { countOf } from "./amounts.js";
import type { FleetPlace } from "./open-place.js";
import { type CommandShell, printJson } from "./shell.js";

export interface MoveCommand {
  readonly place: FleetPlace;
  /** The folder with the programs of the Postgres that made the data. */
  readonly from?: string;
  /** The folder with the programs of the Postgres that shall have it. */
  readonly to?: string;
}

/** `hawser fleet move`: takes the data of a folder to another major version of Postgres. */
export async function moveDatabase(command: MoveCommand, shell: CommandShell): Promise<number> {
  const { place, ...programs } = command;
  if (typeof place.database === "string") {
    throw new HawserError(
      "invalid_options",
      "`hawser fleet move` is for a folder, not for a URL.",
      {
        hint: "A server is updated with its own tools. `hawser fleet copy` copies a fleet.",
      },
    );
  }
  const report = await moveFolder({ folder: place.database.folder, ...programs });
  if (shell.isJson) printJson(shell, report);
  else {
    const { from, to, rows, kept } = report;
    shell.terminal.writeLine(
      `Moved ${countOf(rows, "row")} from Postgres ${from} to ${to}. The old data is in ${kept}.`,
    );
  }
  return 0;
}

export interface CopyCommand {
  readonly place: FleetPlace;
  readonly to: FleetPlace["database"];
}

/** `hawser fleet copy`: copies a fleet, its queue included, into a database that has none. */
export async function copyDatabase(
  { place, to }: CopyCommand,
  shell: CommandShell,
): Promise<number> {
  const rows = await withTables(place.database, "existing", (source) =>
    withTables(to, "create", async (target) => {
      await refuseUsed(target);
      return copyFleet(source, target);
    }),
  );
  if (shell.isJson) printJson(shell, { rows });
  else shell.terminal.writeLine(`Copied ${countOf(rows, "row")}.`);
  return 0;
}

/** Opens a database with the tables of the fleet and of the queue. */
async function withTables<Value>(
  target: FleetPlace["database"],
  how: "create" | "existing",
  work: (database: Database) => Promise<Value>,
): Promise<Value> {
  const database = await openDatabase(target, { migrate: how === "create" });
  try {
    const engine = await openEngine(database, { migrate: how === "create" });
    await engine.close();
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The copy replaces what is there, so there must be nothing. */
async function refuseUsed(target: Database): Promise<void> {
  const { schema } = target;
  const tables = ["run", "session", "conversation", "document", "tenant", "account", "spend"];
  const used = tables.map(
    (table) => `select '${table}' as name where exists (select 1 from ${schema}.${table})`,
  );
  const { rows } = await target.query<{ name: string }>(used.join(" union all "));
  const [first] = rows;
  if (first === undefined) return;
  throw new HawserError(
    "invalid_options",
    `The database of --to has a fleet already: rows in ${schema}.${first.name}.`,
    {
      hint: "Copy into a database without a fleet, because the copy would replace it.",
    },
  );
}
