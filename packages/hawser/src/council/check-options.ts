import { isObject, type Kind, kind, type Problem, throwIfInvalid } from "../base/index.js";
import type { CouncilOptions } from "./council-options.js";
import { RULE_NAMES } from "./rules/rule-name.js";

/** Throws `invalid_options` that names everything that is wrong. */
export function checkOptions(options: CouncilOptions): void {
  throwIfInvalid(problemsOf(options));
}

function* problemsOf(options: CouncilOptions): Iterable<Problem> {
  for (const problem of OPTIONS.problems(options, "")) {
    yield problem.path === "" ? { ...problem, path: "the options" } : problem;
  }
  if (!isObject(options) || !Array.isArray(options.reviewers)) return;
  const { reviewers, quorum } = options;
  yield* repeatedNames(reviewers);
  if (typeof quorum === "number" && quorum > reviewers.length) {
    const message = `is more than the ${reviewers.length} reviewers`;
    yield { path: "quorum", message };
  }
}

function* repeatedNames(reviewers: readonly unknown[]): Iterable<Problem> {
  const names = reviewers.map((each) => (isObject(each) ? each["name"] : undefined));
  for (const [index, name] of names.entries()) {
    if (typeof name !== "string" || names.indexOf(name) === index) continue;
    yield { path: `reviewers[${index}].name`, message: `is used twice: ${JSON.stringify(name)}` };
  }
}

/** A text that is shown to people and models as a part of a line. */
const NAME: Kind = {
  name: "string",
  *problems(value, path) {
    yield* kind.string.problems(value, path);
    if (typeof value !== "string") return;
    if (value.trim() !== value || value === "" || value.length > LONGEST_NAME) {
      yield {
        path,
        message: `must have 1 to ${LONGEST_NAME} characters, and no space at its ends`,
      };
    }
    if (/[\p{C}\p{Zl}\p{Zp}]/u.test(value)) {
      yield { path, message: "must not contain line breaks or invisible characters" };
    }
  },
};

const LONGEST_NAME = 100;

/** A text that says something. */
const WORDS: Kind = {
  name: "string",
  *problems(value, path) {
    yield* kind.string.problems(value, path);
    if (typeof value === "string" && value.trim() === "") yield { path, message: "is empty" };
  },
};

const SUBJECT: Kind = {
  name: "string",
  *problems(value, path) {
    yield* WORDS.problems(value, path);
    if (typeof value !== "string" || Buffer.byteLength(value) <= LARGEST_SUBJECT) return;
    const hint = "Split it, and review the parts.";
    yield { path, message: "is larger than 4 MiB", hint };
  },
};

/** The most bytes that a subject can have: 4 MiB. More is no use, because no model reads so much at once. */
export const LARGEST_SUBJECT: number = 4 * 2 ** 20;

const WEIGHT = kind.number(
  "number",
  "a number above 0, and at most 1000000",
  (n) => n > 0 && n <= 1e6,
);

const REVIEWER = kind.shape(
  {
    name: NAME,
    systemPrompt: WORDS,
    model: kind.string,
    tools: kind.listOf(kind.string),
    weight: WEIGHT,
    options: kind.object,
  },
  ["name", "systemPrompt"],
  "refuse",
);

const REVIEWERS: Kind = {
  name: "reviewers",
  *problems(value, path) {
    yield* kind.listOf(REVIEWER).problems(value, path);
    if (Array.isArray(value) && value.length === 0) {
      yield { path, message: "must be at least one reviewer" };
    }
  },
};

const ANYTHING: Kind = { name: "unknown", *problems() {} };

const OPTIONS = kind.shape(
  {
    reviewers: REVIEWERS,
    subject: SUBJECT,
    task: WORDS,
    // The schema, the pool and the repetitions are checked where they are used.
    schema: ANYTHING,
    pool: ANYTHING,
    retry: ANYTHING,
    maxRepairs: ANYTHING,
    rule: kind.either(
      "rule",
      `one of ${RULE_NAMES.join(", ")}, or a function`,
      [(rule) => RULE_NAMES.some((name) => name === rule), ANYTHING],
      [(rule) => typeof rule === "function", ANYTHING],
    ),
    quorum: kind.count,
    rounds: kind.number("number", "1 or 2", (n) => n === 1 || n === 2),
    timeouts: kind.shape(
      { reviewerMs: kind.number("milliseconds", "a number of milliseconds above 0", (n) => n > 0) },
      [],
      "refuse",
    ),
    options: kind.object,
    signal: {
      name: "AbortSignal",
      *problems(value, path) {
        if (!(value instanceof AbortSignal)) yield { path, message: "must be an AbortSignal" };
      },
    },
  } satisfies Record<keyof CouncilOptions, Kind>,
  ["reviewers", "subject"],
  "refuse",
);
