import type { Logger } from "hawser";
import type { Database } from "../database/database.js";
import type { Engine } from "./engine.js";

/** What every part of an open fleet works with. */
export interface FleetParts {
  readonly database: Database;
  readonly engine: Engine;
  /** A host that was silent for so long has lost its runs. */
  readonly leaseMs: number;
  readonly logger: Logger | undefined;
}
