import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { locatePostgres } from "../../src/database/embedded/locate-postgres.js";
import { openDatabase } from "../../src/database/open-database.js";
import { openEngine, type PgBossModule } from "../../src/engine/open-engine.js";
import { startServer } from "../support/start-server.js";
import { describeEngine } from "./engine-contract.helper.js";

/**
 * The contract on every Postgres of this machine: the system's, and that of npm. HAWSER_TEST_PGBOSS is the folder of
 * another version of pg-boss.
 */
const pgBoss = await loadPgBoss(process.env["HAWSER_TEST_PGBOSS"]);
for (const binaries of await locatePostgres({ ...process.env, HAWSER_POSTGRES: "" })) {
  describeEngine(
    `Engine on Postgres ${binaries.major} (${binaries.from})`,
    async () => {
      const server = await startServer(binaries);
      const database = await openDatabase(server.url);
      return {
        database,
        openEngine: (options) => openEngine(database, { ...options, pgBoss }),
        dispose: async () => {
          await database.close();
          await server.stop();
        },
      };
    },
    { concurrent: true },
  );
}

async function loadPgBoss(folder: string | undefined): Promise<PgBossModule | undefined> {
  if (folder === undefined || folder === "") return undefined;
  const { PgBoss } = await import(pathToFileURL(join(folder, "dist/index.js")).href);
  const { pgboss } = createRequire(import.meta.url)(join(folder, "package.json"));
  return { PgBoss, schemaVersion: pgboss.schema };
}
