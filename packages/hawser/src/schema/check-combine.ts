import type { Issue } from "../base/index.js";
import { brief } from "./canonical.js";
import type { Check, Keywords, Place, Visit } from "./keyword.js";

/** What asks other schemas about the same value. */
export const COMBINE: Keywords = {
  $ref(value, place) {
    const target = typeof value === "string" ? place.resolve(value) : undefined;
    if (target === undefined) {
      return place.problem(`points to nothing in the schema: ${brief(value)}`);
    }
    const check = place.here(target);
    return (given, path, visit) => visit.add(check(given, path));
  },
  $dynamicRef: (_, place) => place.problem("is not supported; use $ref"),
  $recursiveRef: (_, place) => place.problem("is not supported; use $ref"),

  allOf(value, place) {
    const checks = checksOf(value, place);
    return (given, path, visit) => {
      for (const check of checks) visit.add(check(given, path));
    };
  },
  anyOf(value, place) {
    const checks = checksOf(value, place);
    return (given, path, visit) => {
      const visits = checks.map((check) => check(given, path));
      const valid = visits.filter(({ isValid }) => isValid);
      for (const one of valid) visit.add(one);
      if (valid.length === 0) visit.wrong(path, noneOf(visits));
    };
  },
  oneOf(value, place) {
    const checks = checksOf(value, place);
    return (given, path, visit) => {
      const visits = checks.map((check) => check(given, path));
      const valid = visits.filter(({ isValid }) => isValid);
      if (valid.length === 0) visit.wrong(path, noneOf(visits));
      else if (valid.length === 1) for (const one of valid) visit.add(one);
      else visit.wrong(path, `fits ${valid.length} of the alternatives, but must fit just one`);
    };
  },
  not(value, place) {
    const check = place.here(value);
    return (given, path, visit) => {
      if (check(given, path).isValid) visit.wrong(path, `must not fit ${brief(value)}`);
    };
  },
  if(value, place) {
    const check = place.here(value);
    const [yes, no] = ["then", "else"].map((keyword) => besides(keyword, place));
    return (given, path, visit) => {
      const condition = check(given, path);
      if (condition.isValid) visit.add(condition);
      const branch = condition.isValid ? yes : no;
      if (branch !== undefined) visit.add(branch(given, path));
    };
  },
};

function checksOf(value: unknown, place: Place): readonly Check[] {
  if (!Array.isArray(value) || value.length === 0) {
    place.problem("must be an array of at least one schema");
    return [];
  }
  return value.map((schema, index) => place.here(schema, index));
}

function besides(keyword: string, place: Place): Check | undefined {
  const value = place.schema[keyword];
  return value === undefined ? undefined : place.here(value, keyword);
}

/** What is wrong by each alternative, in short: one of them is what was meant. */
function noneOf(visits: readonly Visit[]): string {
  const reasons = visits.slice(0, MOST).map((visit, i) => `${i + 1}) ${reasonOf(visit.issues)}`);
  const more = visits.length > MOST ? "; …" : "";
  return `fits none of the alternatives: ${reasons.join("; ")}${more}`.slice(0, LONGEST);
}

const MOST = 8;
const LONGEST = 1000;

function reasonOf(issues: readonly Issue[]): string {
  const first = issues.slice(0, 2).map(({ path = "", message }) => `${path} ${message}`.trim());
  return first.join(", ");
}
