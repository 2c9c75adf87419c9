import { readFile, writeFile } from "node:fs/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { processes } from "../../src/process/index.js";
import { CLIS, FULL, OLDER_CLI } from "../support/cli.js";
import { allGone } from "../support/gone.js";
import { sharedWorld } from "../support/shared-world.js";
import { type Cause, factsOf, type Tried, wholeFailure } from "./failure-cases.helper.js";
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

describe.each(CLIS)("complete() on the real CLI $name", ({ path }) => {
  const isOlder = path === OLDER_CLI;
  // `npm test` runs most rows, each on one of the CLIs, and several rows on the same process.
  const rows = CAUSES.filter(
    ({ elsewhere }, row) => FULL || ((row % 2 === 0) !== isOlder && elsewhere === undefined),
  );
  const isShared = ({ attemptIn }: Cause) => !FULL && attemptIn !== undefined;

  describe("with a process for each call", () => {
    for (const row of rows.filter((each) => !isShared(each))) {
      it.skipIf(row.skip === true)(titleOf(row, isOlder), async () => {
        const { outcome } = check(row, isOlder, await row.attempt(path));
        if (!isHawserError(outcome)) return await allGone();
        // When a call rejects, its process must have exited.
        if (outcome.code !== "already_consumed") expect(processes()).toEqual([]);
      });
    }
  });

  // In a full run every row has a process of its own.
  if (FULL) return;

  describe("with a pool", () => {
    const shared = sharedWorld(path);
    // Last, because a pool pauses after them.
    const isLast = ({ becomes }: Cause) =>
      "code" in becomes && ["rate_limited", "overloaded"].includes(becomes.code);
    const shareable = rows.filter(isShared);
    for (const row of [...shareable.filter((each) => !isLast(each)), ...shareable.filter(isLast)]) {
      it(titleOf(row, isOlder), async () => {
        check(row, isOlder, (await row.attemptIn?.(shared)) as Tried);
      });
    }
  });
});

function titleOf({ cause, becomes, onOlder }: Cause, isOlder: boolean): string {
  const expected = isOlder ? (onOlder ?? becomes) : becomes;
  return "code" in expected ? `rejects with ${expected.code}: ${cause}` : `answers: ${cause}`;
}

function check({ becomes, onOlder, mostCalls = 2 }: Cause, isOlder: boolean, tried: Tried): Tried {
  const expected = isOlder ? (onOlder ?? becomes) : becomes;
  const { outcome, calls } = tried;
  if ("code" in expected) {
    if (!isHawserError(outcome)) throw new Error(`The call gave an answer: ${outcome.text}`);
    const { retryAfterMs } = expected;
    if (retryAfterMs !== undefined) {
      // Since 2.1.326 the CLI adds up to a quarter, so that not all callers come back at once.
      expect(outcome.retryAfterMs).toBeGreaterThanOrEqual(retryAfterMs);
      expect(outcome.retryAfterMs).toBeLessThanOrEqual(retryAfterMs * 1.25);
    }
    const facts = { ...factsOf(outcome), ...(retryAfterMs !== undefined && { retryAfterMs }) };
    expect(facts).toEqual(wholeFailure(expected));
    expect(outcome.message).toMatch(expected.message);
  } else {
    expect(outcome).toMatchObject(expected);
  }
  expect(calls).toBeLessThanOrEqual(mostCalls);
  return tried;
}

it("docs/errors.md says what the failure table tests", async () => {
  const text = page(CAUSES);
  if (process.env["UPDATE_TABLE"] === "1") await writeFile(PAGE, text);
  else expect(await readFile(PAGE, "utf8")).toBe(text);
});

const PAGE = new URL("../../../../docs/errors.md", import.meta.url);
