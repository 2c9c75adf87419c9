import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { at, blocksOf, GUIDES } from "./page.helper.js";
import { misprints } from "./prints.helper.js";
import { runBlock } from "./run.helper.js";
import { shellProblems } from "./shell.helper.js";
import { isProgram, typeErrors } from "./types.helper.js";

const BLOCKS = GUIDES.flatMap((page) => blocksOf(page));

/** On a machine with much else to do, the compiler took 38 s once. */
const LIMIT_MS = 400_000;

const NOTES = new Set(["replies", "run"]);

const LANGUAGES = ["js", "ts", "json", "sh", "text"];

describe("the code on the pages", () => {
  it("is in a language that is checked", () => {
    const others = BLOCKS.filter(({ language }) => !LANGUAGES.includes(language));
    expect(others.map(at)).toEqual([]);
  });

  it(
    "compiles against the package, and so do the names in the text",
    () => {
      expect(typeErrors()).toEqual([]);
    },
    LIMIT_MS,
  );

  it("is JSON where it says so", () => {
    for (const block of BLOCKS.filter(({ language }) => language === "json")) {
      expect(() => JSON.parse(block.code), at(block)).not.toThrow();
    }
  });

  it("starts only commands and scripts that exist", () => {
    const shell = BLOCKS.filter(({ language }) => language === "sh");
    expect(shell.flatMap(shellProblems)).toEqual([]);
  });

  it("has no note to the tests that they do not understand", () => {
    const unknown = BLOCKS.filter(({ notes }) =>
      [...notes.keys()].some((name) => !NOTES.has(name)),
    );
    expect(unknown.map(at)).toEqual([]);
  });
});

describe("what is wrong with a page", () => {
  const js = (code: string) => `# X\n\n\`\`\`js\n${code}\n\`\`\`\n`;
  const table = (name: string) => `| option | |\n|---|---|\n| \`${name}\` | x |\n`;
  const wrong = [
    [
      "an option",
      js('import { complete } from "hawser";\nawait complete("x", { modle: "x" });'),
      5,
    ],
    ["an export", js('import { compleat } from "hawser";'), 4],
    ["a method", js('import { openSession } from "hawser";\n(await openSession()).stop();'), 5],
    ["an option in a table", table("modle"), 3],
    ["a part of an option in a table", table("timeouts.bootSec"), 3],
    ["a member in the text", "Call `session.stop()`.", 1],
    ["a function in the text", "Call `compleat()`.", 1],
  ] as const;

  it(
    "is found with page and line: whatever it names that does not exist",
    () => {
      const pages = wrong.map(([what, text]) => ({ page: `docs/${what}.md`, text }));
      const found = typeErrors(pages).map((told) => told.replace(/(:\d+): [\s\S]*/, "$1"));
      const places = wrong.map(([what, , line]) => `docs/${what}.md:${line}`);
      expect(found.sort()).toEqual(places.sort());
    },
    LIMIT_MS,
  );

  it.each([
    ["all that is printed", "```js\n1\n```\n\n```text\nhello …\n```\n", "hello you\n", "goodbye\n"],
    ["a line", "```js\nlog(1); //=> hello …\n```\n", "a\nhello you\nb\n", "a\nb\n"],
    ["lines in their order", "```js\n//=> a\n//=> b\n```\n", "a\nb\n", "b\na\n"],
  ])("is found where it says what a program prints: %s", (_, text, right, other) => {
    const [block] = blocksOf("x.md", text);
    expect(block && misprints(block, right)).toEqual([]);
    expect(block && misprints(block, other)).toHaveLength(1);
  });

  it("is found in a command: one that does not exist", () => {
    const [block] = blocksOf(
      "x.md",
      "```sh\nnpm ci && npm run demmo\nX=1 npx hawser aks hi\nhawser ask -q --modle x hi\n```\n",
    );
    expect(block && shellProblems(block)).toEqual([
      'x.md:2: package.json has no script "demmo"',
      'x.md:3: hawser has no "aks"',
      "x.md:4: hawser ask has no --modle",
    ]);
  });
});

/** None is left out: what cannot run does not belong on a page. */
describe("every program on the pages runs as it stands", { timeout: 600_000 }, () => {
  const programs = BLOCKS.filter((block) => isProgram(block) || block.notes.has("run"));
  const places = limited(availableParallelism() + 1);

  it.concurrent.each(programs.map((block) => [at(block), block] as const))(
    "%s",
    async (_, block) => {
      const { code, stdout, stderr, script } = await places(() => runBlock(block));
      expect({ code, stderr, script }, stdout).toEqual({ code: 0, stderr: "", script: "" });
      expect(misprints(block, stdout)).toEqual([]);
    },
  );

  const anywhere = programs.filter(({ code }) => /\bofflineWorld\(/.test(code));

  it.concurrent.each(anywhere.map((block) => [at(block), block] as const))(
    "%s, also where no CLI is installed",
    async (_, block) => {
      const { code, stdout, stderr } = await places(() => runBlock(block, { hasNoCli: true }));
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
      expect(misprints(block, stdout)).toEqual([]);
    },
  );

  it("has such a program, which needs neither account nor CLI, on the first screen", () => {
    const first = anywhere.find(({ page }) => page === "README.md");
    expect(first?.line).toBeLessThan(24);
  });
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
