import { fileURLToPath } from "node:url";

/** The folder of the package `hawser`, with a slash at its end. */
export const PACKAGE: string = fileURLToPath(new URL("../../", import.meta.url));

/** The folder of the whole repository, with a slash at its end. */
export const REPOSITORY: string = fileURLToPath(new URL("../../../../", import.meta.url));
