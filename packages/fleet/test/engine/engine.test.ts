import { openDatabase } from "../../src/database/open-database.js";
import { openEngine } from "../../src/engine/open-engine.js";
import { createDatabase } from "../support/postgres.js";
import { describeEngine } from "./engine-contract.helper.js";

describeEngine(
  "Engine on Postgres",
  async () => {
    const { url, dispose } = await createDatabase();
    const database = await openDatabase(url);
    return {
      database,
      openEngine: (options) => openEngine(database, options),
      dispose: async () => {
        await database.close();
        await dispose();
      },
    };
  },
  { concurrent: true },
);
