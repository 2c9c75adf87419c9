import { expect, it } from "vitest";
import type { HawserError } from "../../src/base/index.js";
import { council, DEFAULT_REVIEWERS, LARGEST_SUBJECT } from "../../src/council/index.js";

const [FIRST] = DEFAULT_REVIEWERS;

function withFirst(more: object): object {
  return { reviewers: [{ ...FIRST, ...more }] };
}

async function failureOf(options: unknown): Promise<HawserError> {
  return council(options as never).report.then(
    () => Promise.reject(new Error("the options were accepted")),
    (error: HawserError) => error,
  );
}

it.each([
  [{ reviewers: [] }, "reviewers must be at least one reviewer."],
  [{ reviewers: "all" }, "reviewers must be an array, not a string."],
  [{ reviewers: [null] }, "reviewers[0] must be an object, not null."],
  [{ reviewers: [FIRST, FIRST] }, 'reviewers[1].name is used twice: "correctness".'],
  [withFirst({ name: "" }), "reviewers[0].name must have 1 to 100 characters"],
  [withFirst({ name: "a\nb" }), "reviewers[0].name must not contain line breaks"],
  [withFirst({ name: "a\x1b[2Jb" }), "reviewers[0].name must not contain line breaks"],
  [withFirst({ name: "a\u202eb" }), "reviewers[0].name must not contain line breaks"],
  [withFirst({ name: 1 }), "reviewers[0].name must be a string, not a number."],
  [withFirst({ systemPrompt: " " }), "reviewers[0].systemPrompt is empty."],
  [withFirst({ systemPrompt: undefined }), "reviewers[0].systemPrompt is missing."],
  [withFirst({ weight: 0 }), "reviewers[0].weight must be a number above 0"],
  [withFirst({ weight: -1 }), "reviewers[0].weight must be a number above 0"],
  [withFirst({ weight: Number.NaN }), "reviewers[0].weight must be a number above 0"],
  [withFirst({ weight: 1e300 }), "reviewers[0].weight must be a number above 0"],
  [withFirst({ weight: "2" }), "reviewers[0].weight must be a number above 0"],
  [withFirst({ tools: "Read" }), "reviewers[0].tools must be an array, not a string."],
  [
    withFirst({ tool: ["Read"] }),
    "reviewers[0].tool is not known; did you mean reviewers[0].tools?",
  ],
  [{ subject: " \n" }, "subject is empty."],
  [{ subject: undefined }, "subject is missing."],
  [{ subject: 5 }, "subject must be a string, not a number."],
  [{ subject: "x".repeat(LARGEST_SUBJECT + 1) }, "subject is larger than 4 MiB."],
  [{ subject: "é".repeat(LARGEST_SUBJECT / 2 + 1) }, "subject is larger than 4 MiB."],
  [{ task: "" }, "task is empty."],
  [
    { rule: "dice" },
    "rule must be one of majority, weighted, unanimous, veto, magi, or a function.",
  ],
  [{ rule: 5 }, "veto, magi, or a function, not a number."],
  [{ quorum: 4 }, "quorum is more than the 3 reviewers."],
  [{ quorum: 0 }, "quorum must be an integer of at least 1, not 0."],
  [{ quorum: 1.5 }, "quorum must be an integer of at least 1, not 1.5."],
  [{ rounds: 3 }, "rounds must be 1 or 2, not 3."],
  [
    { timeouts: { reviewerMs: Number.NaN } },
    "timeouts.reviewerMs must be a number of milliseconds above 0, not NaN.",
  ],
  [{ timeouts: { totalMs: 5 } }, "timeouts.totalMs is not known."],
  [{ signal: {} }, "signal must be an AbortSignal."],
  [{ rul: "veto" }, "rul is not known; did you mean rule?"],
])("refuses wrong options: %#", async (wrong, message) => {
  const error = await failureOf({ reviewers: DEFAULT_REVIEWERS, subject: "x", ...wrong });
  expect(error).toMatchObject({
    code: "invalid_options",
    message: expect.stringContaining(message),
  });
});

it.each([undefined, null, [], "x"])("refuses %j instead of options", async (options) => {
  expect(await failureOf(options)).toMatchObject({ code: "invalid_options" });
});

it("names everything that is wrong, and what may be meant", async () => {
  const error = await failureOf({ reviewer: DEFAULT_REVIEWERS, subject: "x", rounds: 0 });
  expect(error.issues?.map(({ path }) => path)).toEqual(["reviewers", "rounds", "reviewer"]);
  expect(await failureOf({ reviewers: DEFAULT_REVIEWERS, subject: "x", rul: 1 })).toMatchObject({
    hint: "Use `rule`.",
  });
});

it("tells a reader of the events, also one that waits for them already", async () => {
  const work = council({ reviewers: [], subject: "x" });
  const read = async () => {
    for await (const _ of work) throw new Error("no event was expected");
  };
  await expect(read()).rejects.toMatchObject({ code: "invalid_options" });
  await expect(read()).rejects.toMatchObject({ code: "invalid_options" });
});
