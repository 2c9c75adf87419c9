import type { PGlite } from "@electric-sql/pglite";
import { HawserError } from "hawser";
import pg from "pg";
import { MemoryDatabase } from "./memory-database.js";

/** The types that `pg` turns into something else than text, by their numbers in Postgres. */
const PARSED_TYPES: readonly number[] = [
  16, 17, 20, 21, 23, 26, 114, 600, 650, 700, 701, 718, 1082, 1114, 1184, 1186, 1700, 3802,
];

/** Types of parameters. `pg` has made texts of them already. */
const SENT_TYPES: readonly number[] = [...PARSED_TYPES, 25, 1042, 1043, 2950];

/** Opens a database in the memory of this program, with PGlite. It ends with the program. */
export async function openMemory(schema: string): Promise<MemoryDatabase> {
  const { PGlite: Lite } = await loadPglite();
  const pglite = new Lite({
    // Values must be the same as with a server: a bigint is a string, and so on.
    parsers: Object.fromEntries(
      PARSED_TYPES.map((type) => [type, pg.types.getTypeParser(type, "text")]),
    ),
    serializers: Object.fromEntries(
      SENT_TYPES.map((type) => [type, (value: unknown) => value as string]),
    ),
  }) as PGlite;
  await pglite.waitReady;
  return new MemoryDatabase(pglite, schema);
}

async function loadPglite(): Promise<typeof import("@electric-sql/pglite")> {
  try {
    return await import("@electric-sql/pglite");
  } catch (error) {
    throw new HawserError(
      "embedded_unavailable",
      `The database ":memory:" needs PGlite: ${(error as Error).message}`,
      { hint: "Run `npm install @electric-sql/pglite`, or use a folder or a URL.", cause: error },
    );
  }
}
