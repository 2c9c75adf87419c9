import { readFile, writeFile } from "node:fs/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { processes } from "../../src/process/index.js";
import { CLIS, FULL, OLDER_CLI } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import { type Cause, factsOf, wholeFailure } from "./failure-cases.helper.js";
import { AT_THE_API } from "./failure-cases-api.helper.js";
import { NOT_AS_ASKED } from "./failure-cases-asked.helper.js";
import { page } from "./failure-cases-page.helper.js";
import { BY_A_POOL } from "./failure-cases-pool.helper.js";
import { WHILE_IT_RUNS } from "./failure-cases-run.helper.js";
import { AT_THE_START } from "./failure-cases-start.helper.js";

const CAUSES: readonly Cause[] = [
  ...AT_THE_START,
  ...AT_THE_API,
  ...WHILE_IT_RUNS,
  ...NOT_AS_ASKED,
  ...BY_A_POOL,
];

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(CLIS)("what comes of a call on the real CLI $name", ({ path }) => {
  const older = path === OLDER_CLI;

  for (const [row, each] of CAUSES.entries()) {
    if (!FULL && (row % 2 === 0) === older) continue;
    const { cause, attempt, becomes, onOlder, mostCalls = 2, skip = false } = each;
    const expected = older ? (onOlder ?? becomes) : becomes;
    const what = "code" in expected ? expected.code : "an answer";

    it.skipIf(skip)(`is ${what}: ${cause}`, async () => {
      const { outcome, calls } = await attempt(path);
      if ("code" in expected) {
        if (!isHawserError(outcome)) throw new Error(`It gave an answer: ${outcome.text}`);
        expect(factsOf(outcome)).toEqual(wholeFailure(expected));
        expect(outcome.message).toMatch(expected.message);
        // When a call rejects, its process must have exited.
        if (expected.code !== "already_consumed") expect(processes()).toEqual([]);
      } else {
        expect(outcome).toMatchObject(expected);
        await allGone();
      }
      expect(calls).toBeLessThanOrEqual(mostCalls);
    });
  }
});

it("the page on errors says what these tests hold", async () => {
  const text = page(CAUSES);
  if (process.env["UPDATE_TABLE"] === "1") await writeFile(PAGE, text);
  else expect(await readFile(PAGE, "utf8")).toBe(text);
});

const PAGE = new URL("../../../../docs/errors.md", import.meta.url);
