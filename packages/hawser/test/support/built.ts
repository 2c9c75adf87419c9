import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DIST } from "../../../../tools/dist.js";

/** The folder of the built package. The import throws if the build is older than the source. */
export const BUILT: string = DIST;

/** The address of the built root, for programs that import it. */
export const BUILT_ROOT: string = pathToFileURL(join(DIST, "index.js")).href;
