import { fileURLToPath } from "node:url";

/** The build that is measured. */
export const DIST =
  process.env.HAWSER_DIST ?? fileURLToPath(new URL("../packages/hawser/dist", import.meta.url));
