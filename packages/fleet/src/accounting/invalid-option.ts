import { HawserError } from "hawser";

/** The error for a bad value: which option, what is wrong, and what to do. */
export function invalidOption(path: string, problem: string, hint: string): HawserError {
  return new HawserError("invalid_options", `${path} ${problem}.`, {
    hint,
    issues: [{ path, message: problem }],
  });
}

/** Throws unless `value` is a name that the database can store and people can read in a listing. */
export function checkName(path: string, value: unknown): void {
  if (typeof value !== "string" || value === "" || value.length > 200) {
    throw invalidOption(path, "is not a string of 1 to 200 characters", `Give \`${path}\` a name.`);
  }
  if (!isStorable(value)) {
    throw invalidOption(
      path,
      "contains characters that Postgres cannot store",
      "Remove U+0000 and unpaired surrogates.",
    );
  }
}

/** Postgres refuses U+0000, and half a surrogate pair is stored as another character. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}
