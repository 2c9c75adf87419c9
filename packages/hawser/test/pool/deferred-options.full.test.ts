import { describe, it, vi } from "vitest";
import { clisInTurn } from "../support/cli.js";
import { expectSameEffects } from "./deferred-options.helper.js";
import { ROWS, type Row } from "./deferred-options-rows.helper.js";

// Every row starts the CLI several times.
vi.setConfig({ testTimeout: 180_000 });

// late-options.full.test.ts has the other rows, and initialized spares.
const [, RULES] = ROWS as readonly [Row, Row, ...Row[]];

describe.each(clisInTurn())("Pool on the real CLI $name", ({ path }) => {
  it.each([RULES])(
    "a process that gets $name late has the effects of a cold start",
    async (row) => {
      await expectSameEffects(path, row, { alsoNext: false });
    },
  );
});
