import { describe, expect, it } from "vitest";
import { at, blocksOf, GUIDES } from "./page.helper.js";
import { misprints } from "./prints.helper.js";
import { describePrograms, isRepresentative, PROGRAMS, runsAnywhere } from "./programs.helper.js";
import { shellProblems } from "./shell.helper.js";
import { guides, type Source, typeErrors } from "./types.helper.js";

const BLOCKS = GUIDES.flatMap((page) => blocksOf(page));

/** On a machine with much else to do, the compiler took 38 s once. */
const LIMIT_MS = 400_000;

const NOTES = new Set(["replies", "run"]);

const LANGUAGES = ["js", "ts", "json", "sh", "text"];

describe("the code blocks of the pages", () => {
  it("are in a language that is checked", () => {
    const others = BLOCKS.filter(({ language }) => !LANGUAGES.includes(language));
    expect(others.map(at)).toEqual([]);
  });

  it(
    "compile against the package, and so do the names in the text",
    () => {
      expect(errorsOnAllPages().filter((told) => !told.startsWith(WRONG))).toEqual([]);
    },
    LIMIT_MS,
  );

  it("parse as JSON where the page says json", () => {
    for (const block of BLOCKS.filter(({ language }) => language === "json")) {
      expect(() => JSON.parse(block.code), at(block)).not.toThrow();
    }
  });

  it("start only commands and scripts that exist", () => {
    const shell = BLOCKS.filter(({ language }) => language === "sh");
    expect(shell.flatMap(shellProblems)).toEqual([]);
  });

  it("have only notes that these tests understand", () => {
    const unknown = BLOCKS.filter(({ notes }) =>
      [...notes.keys()].some((name) => !NOTES.has(name)),
    );
    expect(unknown.map(at)).toEqual([]);
  });
});

/** Where the pages of the next block are. No page of the project has such a name. */
const WRONG = "docs/wrong/";

/** What is wrong, and the page and line on which the compiler reports it. */
const WRONG_PAGES = [
  ["an option", js('import { complete } from "hawser";\nawait complete("x", { modle: "x" });'), 5],
  ["an export", js('import { compleat } from "hawser";'), 4],
  ["a method", js('import { openSession } from "hawser";\n(await openSession()).stop();'), 5],
  ["an option in a table", table("modle"), 3],
  ["a part of an option in a table", table("timeouts.bootSec"), 3],
  ["a member in the text", "Call `session.stop()`.", 1],
  ["a function in the text", "Call `compleat()`.", 1],
] as const;

function js(code: string): string {
  return `# X\n\n\`\`\`js\n${code}\n\`\`\`\n`;
}

function table(name: string): string {
  return `| option | |\n|---|---|\n| \`${name}\` | x |\n`;
}

/** Compiled once for the guides and the wrong pages, because the compiler takes seconds to start. */
let compiled: readonly string[] | undefined;

function errorsOnAllPages(): readonly string[] {
  const wrong = WRONG_PAGES.map(([what, text]): Source => ({ page: `${WRONG}${what}.md`, text }));
  compiled ??= typeErrors([...guides(), ...wrong]);
  return compiled;
}

describe("the checks of a page", () => {
  it(
    "report page and line of every name that does not exist",
    () => {
      const told = errorsOnAllPages().filter((each) => each.startsWith(WRONG));
      const places = WRONG_PAGES.map(([what, , line]) => `${WRONG}${what}.md:${line}`);
      expect(told.map((each) => each.replace(/(:\d+): [\s\S]*/, "$1")).sort()).toEqual(
        places.sort(),
      );
    },
    LIMIT_MS,
  );

  it.each([
    ["all that is printed", "```js\n1\n```\n\n```text\nhello …\n```\n", "hello you\n", "goodbye\n"],
    ["a line", "```js\nlog(1); //=> hello …\n```\n", "a\nhello you\nb\n", "a\nb\n"],
    ["lines in their order", "```js\n//=> a\n//=> b\n```\n", "a\nb\n", "b\na\n"],
  ])("compare what a program prints with the page: %s", (_, text, right, other) => {
    const [block] = blocksOf("x.md", text);
    expect(block && misprints(block, right)).toEqual([]);
    expect(block && misprints(block, other)).toHaveLength(1);
  });

  it("report a command, script or option that does not exist", () => {
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

describePrograms(
  "a program on the pages",
  PROGRAMS.filter((block) => isRepresentative(block)),
);

it("README.md has a program on its first screen that needs neither an account nor a CLI", () => {
  const first = PROGRAMS.find((block) => block.page === "README.md" && runsAnywhere(block));
  expect(first?.line).toBeLessThan(24);
});
