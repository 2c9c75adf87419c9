import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { at, type Block, blocksOf, GUIDES } from "./page.helper.js";
import { misprints } from "./prints.helper.js";
import { needsNoCli, runBlock } from "./run.helper.js";
import { isProgram } from "./types.helper.js";

/** Every program on the pages. None is left out: what cannot run does not belong on a page. */
export const PROGRAMS: readonly Block[] = GUIDES.flatMap((page) => blocksOf(page)).filter(
  (block) => isProgram(block) || block.notes.has("run"),
);

/** Pages whose first program shows a function of the package that the README does not show. */
const OTHER_FUNCTIONS = [
  "docs/events.md",
  "docs/fleet.md",
  "docs/pool.md",
  "docs/structured-output.md",
];

/**
 * Whether every run of the suite runs this program. Each of the others starts a CLI for a function that
 * one of these shows already, so only `npm run test:full` runs them.
 */
export function isRepresentative(block: Block): boolean {
  const first = PROGRAMS.find(({ page }) => page === block.page);
  return (
    block.page === "README.md" ||
    block.language === "sh" ||
    needsNoCli(block) ||
    (OTHER_FUNCTIONS.includes(block.page) && block === first)
  );
}

/** Programs that also run on a machine without a CLI. */
export function runsAnywhere({ code }: Block): boolean {
  return /\bofflineWorld\(/.test(code);
}

/** Runs each program as it stands, and compares its output with the page. */
export function describePrograms(title: string, programs: readonly Block[]): void {
  describe(title, { timeout: 600_000 }, () => {
    const places = limited(availableParallelism() + 1);

    it.concurrent.each(programs.map((block) => [at(block), block] as const))(
      "%s runs as it stands and prints what the page says",
      async (_, block) => {
        const { code, stdout, stderr, script } = await places(() => runBlock(block));
        expect({ code, stderr, script }, stdout).toEqual({ code: 0, stderr: "", script: "" });
        expect(misprints(block, stdout)).toEqual([]);
      },
    );

    it.concurrent.each(programs.filter(runsAnywhere).map((block) => [at(block), block] as const))(
      "%s also runs where no CLI is installed",
      async (_, block) => {
        const { code, stdout, stderr } = await places(() => runBlock(block, { hasNoCli: true }));
        expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
        expect(misprints(block, stdout)).toEqual([]);
      },
    );
  });
}

/** Runs no more than so many at once. */
function limited(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
