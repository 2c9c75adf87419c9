import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { FULL } from "../support/cli.js";
import { errorsOf, programOf } from "./program.helper.js";

/** The compiler checks every declaration of Node too. */
const LIMIT_MS = 300_000;

const ROOT = fileURLToPath(new URL("../../src/index.js", import.meta.url));
const CONSUMER = fileURLToPath(new URL("consumer-calls.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "hawser-typo-"));
afterAll(() => rmSync(folder, { recursive: true }));

const CALLS = [
  'complete("x", { modle: "opus" });',
  'complete("x", { schema, modle: "opus" });',
  'stream("x", { modle: "opus" });',
  'pool.complete("x", { modle: "opus" });',
  'pool.stream("x", { schema, modle: "opus" });',
  'openSession({ modle: "opus" });',
  'pool.openSession({ modle: "opus" });',
  'query({ prompt: "x", options: { modle: "opus" } });',
];

/** The inference differs between these; a full run compiles with both. */
const MODES = [
  ["strict with exact optional properties", true],
  ["strict", false],
] as const;

describe.each(FULL ? MODES : MODES.slice(0, 1))("the public functions, compiled %s", (_, exact) => {
  it(
    "infer the type of `value`, narrow messages by `type`, and report a misspelt option once",
    () => {
      const file = join(folder, `typo-${exact}.mts`);
      const imports = `import { complete, createPool, openSession, query, stream } from ${JSON.stringify(ROOT)};`;
      const schema = `declare const schema: import(${JSON.stringify(ROOT)}).StandardSchema<{ year: number }>;`;
      writeFileSync(file, [imports, schema, "const pool = createPool();", ...CALLS, ""].join("\n"));
      const errors = errorsOf(programOf([CONSUMER, file], exact));
      expect(errors).toHaveLength(CALLS.length);
      for (const [index, error] of errors.entries()) {
        expect(error).toMatch(
          /^\S+: Object literal may only specify known properties, but 'modle' does not exist in type '\w+'\. Did you mean to write 'model'\?$/,
        );
        expect(error).toContain(`:${index + 4}: `);
      }
    },
    LIMIT_MS,
  );
});
