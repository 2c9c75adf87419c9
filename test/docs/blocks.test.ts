import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { at, blocksOf, GUIDES } from "./page.js";
import { misprints } from "./prints.js";
import { runBlock } from "./run.js";
import { shellProblems } from "./shell.js";
import { isProgram, typeErrors } from "./types.js";

const BLOCKS = GUIDES.flatMap((page) => blocksOf(page));

/** Why a program of the pages is not run. */
const NOT_RUN: Readonly<Record<string, string>> = {};

const LANGUAGES = ["js", "ts", "json", "sh", "text"];

describe("the code on the pages", () => {
  it("is in a language that is checked", () => {
    const others = BLOCKS.filter(({ language }) => !LANGUAGES.includes(language));
    expect(others.map(at)).toEqual([]);
  });

  it("compiles against the package, and so do the names in the text", () => {
    expect(typeErrors()).toEqual([]);
  });

  it("is JSON where it says so", () => {
    for (const block of BLOCKS.filter(({ language }) => language === "json")) {
      expect(() => JSON.parse(block.code), at(block)).not.toThrow();
    }
  });

  it("starts only commands and scripts that exist", () => {
    const shell = BLOCKS.filter(({ language }) => language === "sh");
    expect(shell.flatMap(shellProblems)).toEqual([]);
  });

  it("is left out nowhere without a reason", () => {
    const known = BLOCKS.map(at);
    expect(Object.keys(NOT_RUN).filter((place) => !known.includes(place))).toEqual([]);
    expect(Object.values(NOT_RUN)).toHaveLength(0);
  });
});

describe("what is wrong with a page", () => {
  const page = "docs/x.md";
  const told = (text: string) => typeErrors([{ page, text }]);
  const js = (code: string) => `# X\n\n\`\`\`js\n${code}\n\`\`\`\n`;

  it.each([
    [
      "an unknown option",
      js('import { complete } from "hawser";\nawait complete("x", { modle: "x" });'),
      5,
    ],
    ["an unknown export", js('import { compleat } from "hawser";'), 4],
    [
      "an unknown method",
      js('import { openSession } from "hawser";\n(await openSession()).stop();'),
      5,
    ],
    ["an unknown option in a table", "| option | |\n|---|---|\n| `modle` | x |\n", 3],
    ["an unknown part of an option", "| option | |\n|---|---|\n| `timeouts.bootSec` | x |\n", 3],
    ["an unknown member in the text", "Call `session.stop()`.", 1],
    ["an unknown function in the text", "Call `compleat()`.", 1],
  ])("is found with page and line: %s", (_, text, line) => {
    expect(told(text)).toEqual([expect.stringMatching(new RegExp(`^docs/x\\.md:${line}: `))]);
  });
});

describe("every program on the pages runs as it stands", { timeout: 600_000 }, () => {
  const programs = BLOCKS.filter((block) => isProgram(block) || block.notes.has("run"));
  const places = limited(availableParallelism() + 1);

  it.concurrent.each(programs.map((block) => [at(block), block] as const))(
    "%s",
    async (place, block) => {
      if (NOT_RUN[place] !== undefined) return;
      const { code, stdout, stderr, script } = await places(() => runBlock(block));
      expect({ code, stderr, script }, stdout).toEqual({ code: 0, stderr: "", script: "" });
      expect(misprints(block, stdout)).toEqual([]);
    },
  );
});

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
