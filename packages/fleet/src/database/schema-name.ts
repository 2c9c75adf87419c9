import { HawserError } from "hawser";

/** Schema names are parts of the names of channels and of the engine's schema, which Postgres cuts at 63 bytes. */
const VALID = /^[a-z_][a-z0-9_]{0,39}$/;

/** Checks the option `schema`. Letters are lower case, so that the name means the same with and without quotes. */
export function checkSchemaName(name: string): string {
  if (VALID.test(name) && !name.startsWith("pg_")) return name;
  throw new HawserError(
    "invalid_options",
    `The schema "${name}" is not a name that the fleet can use.`,
    {
      hint: "Use lower-case letters, digits and _, at most 40 of them, with a letter first, and not beginning with pg_.",
    },
  );
}

/** The name as SQL, in quotes. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
