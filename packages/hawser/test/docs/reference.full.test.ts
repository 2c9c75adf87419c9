import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PACKAGE } from "../support/folders.js";

const MANIFEST = createRequire(import.meta.url).resolve("typedoc/package.json");
const TYPEDOC = join(dirname(MANIFEST), "bin", "typedoc");

it("TypeDoc makes the API reference without a warning: no dead link, no undocumented function", {
  timeout: 300_000,
}, async () => {
  // Whether it compiles is the compiler's business.
  const args = [TYPEDOC, "--emit", "none", "--skipErrorChecking", "--logLevel", "Warn"];
  const run = promisify(execFile)(process.execPath, args, { cwd: PACKAGE });
  const { stdout, stderr } = await run.catch((error) => error);
  expect(`${stdout}${stderr}`).toBe("");
});
