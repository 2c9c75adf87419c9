import { openDatabase } from "../../src/database/open-database.js";
import { openEngine } from "../../src/engine/open-engine.js";
import { describeEngine } from "./engine-contract.helper.js";

describeEngine(
  "Engine on PGlite",
  async () => {
    const database = await openDatabase(":memory:");
    return {
      database,
      openEngine: (options) => openEngine(database, options),
      dispose: () => database.close(),
    };
  },
  { concurrent: false },
);
