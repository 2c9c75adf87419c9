import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Collects all garbage now, so that no measurement pays for what another one left. */
export const collectGarbage = runInNewContext("gc");
