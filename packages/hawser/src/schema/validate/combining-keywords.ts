import type { Issue } from "../../base/index.js";
import { shortJson } from "../canonical-json.js";
import type { CheckSchema, Evaluation, KeywordContext, Keywords } from "./keyword.js";

/** What asks other schemas about the same value. */
export const COMBINING_KEYWORDS: Keywords = {
  $ref(value, place) {
    const target = typeof value === "string" ? place.resolve(value) : undefined;
    if (target === undefined) {
      return place.problem(`points to nothing in the schema: ${shortJson(value)}`);
    }
    const check = place.checkWhole(target);
    return (given, path, visit) => visit.merge(check(given, path));
  },
  $dynamicRef: (_, place) => place.problem("is not supported; use $ref"),
  $recursiveRef: (_, place) => place.problem("is not supported; use $ref"),

  allOf(value, place) {
    const checks = checksOf(value, place);
    return (given, path, visit) => {
      for (const check of checks) visit.merge(check(given, path));
    };
  },
  anyOf(value, place) {
    const checks = checksOf(value, place);
    return (given, path, visit) => {
      const visits = checks.map((check) => check(given, path));
      const valid = visits.filter(({ isValid }) => isValid);
      for (const one of valid) visit.merge(one);
      if (valid.length === 0) visit.addIssue(path, noneOf(visits));
    };
  },
  oneOf(value, place) {
    const checks = checksOf(value, place);
    return (given, path, visit) => {
      const visits = checks.map((check) => check(given, path));
      const valid = visits.filter(({ isValid }) => isValid);
      if (valid.length === 0) visit.addIssue(path, noneOf(visits));
      else if (valid.length === 1) for (const one of valid) visit.merge(one);
      else visit.addIssue(path, `fits ${valid.length} of the alternatives, but must fit just one`);
    };
  },
  not(value, place) {
    const check = place.checkWhole(value);
    return (given, path, visit) => {
      if (check(given, path).isValid) visit.addIssue(path, `must not fit ${shortJson(value)}`);
    };
  },
  if(value, place) {
    const check = place.checkWhole(value);
    const [yes, no] = ["then", "else"].map((keyword) => besides(keyword, place));
    return (given, path, visit) => {
      const condition = check(given, path);
      if (condition.isValid) visit.merge(condition);
      const branch = condition.isValid ? yes : no;
      if (branch !== undefined) visit.merge(branch(given, path));
    };
  },
};

function checksOf(value: unknown, place: KeywordContext): readonly CheckSchema[] {
  if (!Array.isArray(value) || value.length === 0) {
    place.problem("must be an array of at least one schema");
    return [];
  }
  return value.map((schema, index) => place.checkWhole(schema, index));
}

function besides(keyword: string, place: KeywordContext): CheckSchema | undefined {
  const value = place.schema[keyword];
  return value === undefined ? undefined : place.checkWhole(value, keyword);
}

/** What is wrong by each alternative, in short: one of them is what was meant. */
function noneOf(visits: readonly Evaluation[]): string {
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
