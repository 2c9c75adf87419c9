import { HawserError } from "hawser";

/** What pg-boss needs. */
const LEAST = { major: 22, minor: 12 };

/** Throws `not_supported` if this Node is too old for the fleet. Everything that opens a fleet calls it first. */
export function checkNode(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > LEAST.major || (major === LEAST.major && minor >= LEAST.minor)) return;
  throw new HawserError(
    "not_supported",
    `@hawser/fleet needs Node 22.12, and this is Node ${version}.`,
    {
      hint: "Use a newer Node for the programs that open a fleet. The package `hawser` itself runs on Node 20.19.",
    },
  );
}
