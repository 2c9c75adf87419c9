import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { findConfig } from "../../src/config/load-config.js";

type Files = Readonly<Record<string, string>>;

function folder(files: Files): string {
  const path = mkdtempSync(join(tmpdir(), "hawser-config-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

describe("findConfig()", () => {
  it("finds the one file of the folder, and none in an empty folder", () => {
    const cwd = folder({ "hawser.config.mjs": "" });
    expect(findConfig(cwd)).toBe(join(cwd, "hawser.config.mjs"));
    expect(findConfig(folder({}))).toBeUndefined();
  });

  it("refuses two files", () => {
    const cwd = folder({ "hawser.config.json": "{}", "hawser.config.js": "" });
    expect(() => findConfig(cwd)).toThrow("has hawser.config.json and hawser.config.js");
  });

  it("refuses a given file that does not exist", () => {
    expect(() => findConfig(folder({}), "x.json")).toThrow("There is no configuration file");
  });
});

describe("loadConfig()", () => {
  it.each([
    ["hawser.config.json", '{ "bodyLimit": 1 }', '{ "bodyLimit": 2 }'],
    ["hawser.config.mjs", "export default { bodyLimit: 1 };", "export default { bodyLimit: 2 };"],
    ["hawser.config.js", "module.exports = { bodyLimit: 1 };", "exports.bodyLimit = 2;"],
  ])("reads %s, and reads it anew after a change", async (name, before, after) => {
    const loads = await loadTwice(name, { [name]: before }, { [name]: after });
    expect(loads).toEqual([{ bodyLimit: 1 }, { bodyLimit: 2 }]);
  });

  it("keeps modules that the file imports, as the guide says", async () => {
    const config = 'import { bodyLimit } from "./limit.mjs";\nexport default { bodyLimit };';
    const files = { "limit.mjs": "export const bodyLimit = 1;", "hawser.config.mjs": config };
    const changed = { "limit.mjs": "export const bodyLimit = 2;" };
    const loads = await loadTwice("hawser.config.mjs", files, changed);
    expect(loads).toEqual([{ bodyLimit: 1 }, { bodyLimit: 1 }]);
  });

  it.each([
    ["hawser.config.json", "{ strict: true }", "is not JSON"],
    ["hawser.config.mjs", "export const x = 1;", "has no default export"],
    ["hawser.config.mjs", 'throw new Error("luck");', "cannot be loaded: Error: luck"],
    ["hawser.config.mjs", "export default {", "cannot be loaded: SyntaxError"],
  ])("says what is wrong with %s: %s", async (name, text, message) => {
    const [first] = await loadTwice(name, { [name]: text }, {});
    expect(first).toContain(message);
  });

  it("reads .ts where Node strips types, and otherwise says so", async () => {
    const text = "const strict: boolean = true;\nexport default { strict };";
    const [first] = await loadTwice("hawser.config.ts", { "hawser.config.ts": text }, {});
    const strips = "typescript" in process.features && Boolean(process.features.typescript);
    if (strips) expect(first).toEqual({ strict: true });
    else expect(first).toContain("does not strip types");
  });
});

/**
 * Loads a file, changes files, and loads it again, with the built package in a program of its own, because a test
 * runner loads modules in its own way. Returns the configurations, or the messages of errors.
 */
async function loadTwice(name: string, files: Files, changed: Files): Promise<unknown[]> {
  const cwd = folder(files);
  const built = new URL("../../dist/config/index.js", import.meta.url).href;
  const program = `
    import { writeFileSync } from "node:fs";
    import { loadConfig } from ${JSON.stringify(built)};
    const load = () => loadConfig(${JSON.stringify(join(cwd, name))}, ".").then(
      ({ config }) => config,
      (error) => error.message,
    );
    const first = await load();
    const changed = ${JSON.stringify(changed)};
    for (const [file, text] of Object.entries(changed)) writeFileSync(file, text);
    console.log(JSON.stringify([first, await load()]));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { cwd });
  return JSON.parse(stdout);
}

const run = promisify(execFile);
