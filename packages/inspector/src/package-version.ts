import { readFileSync } from "node:fs";

/** The version of this package. */
export const PACKAGE_VERSION: string = readVersion();

function readVersion(): string {
  // From src and from dist alike.
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
