import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/folders.js";

/**
 * Files that a test reads, compiles or starts as they are. They are neither tests nor helpers.
 */
const PROGRAMS: ReadonlySet<string> = new Set([
  "hawser/test/package/consumer.ts",
  "hawser/test/types/consumer-calls.ts",
  "hawser/test/types/consumer-messages.ts",
  "hawser/test/types/consumer-options.ts",
  "hawser/test/types/consumer-providers.ts",
  "hawser/test/types/planted.ts",
]);

/** Folders for what several test folders share, and for data. */
const OTHER_FOLDERS = /\/(?:support|fixtures|node_modules)\//;

describe("test file names", () => {
  it("end in .test.ts or .helper.ts outside of support and fixtures", () => {
    const strangers = testFiles().filter(
      (file) =>
        !/\.(?:test|helper)\.ts$/.test(file) && !OTHER_FOLDERS.test(file) && !PROGRAMS.has(file),
    );
    expect(strangers).toEqual([]);
  });

  it("list only programs that exist", () => {
    const files = new Set(testFiles());
    expect([...PROGRAMS].filter((program) => !files.has(program))).toEqual([]);
  });
});

/** The TypeScript files in the tests of all packages, relative to `packages`. */
function testFiles(): string[] {
  const packages = join(REPOSITORY, "packages");
  return readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name, "test"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => `${name}/test/${file}`),
  );
}
