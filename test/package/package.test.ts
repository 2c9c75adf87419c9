import { execFile, execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isolatedEnv, SimulatedModel } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");

let project = "";

/** A project of somebody else's, with the packed package installed. */
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "hawser-project-")));
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", project];
  execFileSync("npm", pack, { cwd: ROOT, stdio: ["ignore", "pipe", "ignore"] });
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["xzf", join(project, tarball), "-C", modules]);
  execFileSync("mv", [join(modules, "package"), join(modules, "hawser")]);
  for (const name of ["@types/node", "undici-types"]) {
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("the packed package", () => {
  it("holds what it needs and nothing else", () => {
    const files = readdirSync(join(project, "node_modules/hawser"), {
      recursive: true,
      encoding: "utf8",
    });
    const tops = new Set(files.map((name) => name.split("/")[0]));
    expect([...tops].sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist",
      "package.json",
    ]);
    expect(files).toContain("dist/testing/fake-cli/main.mjs");
    const manifest = JSON.parse(
      readFileSync(join(project, "node_modules/hawser/package.json"), "utf8"),
    );
    expect(manifest.dependencies).toBeUndefined();
  });

  it("type-checks in a strict project, its own declarations included", () => {
    writeFileSync(
      join(project, "use.ts"),
      `import { complete, isHawserError, type CompleteOptions, type Completion } from "hawser";
       import { SimulatedModel, isolatedEnv } from "hawser/testing";
       const options: CompleteOptions = { model: "sonnet", tools: [], timeouts: { totalMs: 1000 } };
       const maybe: string | undefined = process.env["MODEL"];
       const loose: CompleteOptions = { model: maybe, signal: undefined };
       const completion: Completion = await complete("x", { ...options, ...loose });
       const text: string = completion.text;
       // @ts-expect-error: a misspelt option is an error of the compiler too
       await complete("x", { modle: "sonnet" });
       const model = await SimulatedModel.start({ replies: [text] });
       const world = await isolatedEnv({ baseUrl: model.url });
       console.log(world.cwd, isHawserError(undefined, "auth"));`,
    );
    const args = [
      TSC,
      "--noEmit",
      "--strict",
      "--exactOptionalPropertyTypes",
      "--module",
      "nodenext",
    ];
    args.push("--target", "es2022", "--lib", "es2023,esnext.disposable", "--types", "node");
    const run = () =>
      execFileSync(process.execPath, [...args, "use.ts"], { cwd: project, stdio: "pipe" });
    try {
      run();
    } catch (error) {
      throw new Error(String((error as { stdout: Buffer }).stdout));
    }
  });

  it("runs the README's first example as it stands there", async () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const example = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    expect(example.trim().split("\n").length).toBeLessThanOrEqual(8);
    writeFileSync(join(project, "first.mjs"), example);
    const model = await SimulatedModel.start({ replies: ["Bowline, sheet bend, figure eight."] });
    const world = await isolatedEnv({ baseUrl: model.url, extra: { HAWSER_CLI: NEWEST_CLI } });
    const { stdout } = await run(join(project, "first.mjs"), world.env);
    await world.dispose();
    await model.close();
    expect(stdout).toMatch(
      /^Bowline, sheet bend, figure eight\.\nclaude-\S+, 5 tokens, \$0\.\d+\n$/,
    );
  });

  it("runs the README's example for tests", async () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const examples = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, source]) => source);
    const example = examples.find((source) => source?.includes("SimulatedModel")) ?? "";
    writeFileSync(join(project, "offline.mjs"), example);
    const env = { PATH: process.env["PATH"] ?? "", HAWSER_CLI: NEWEST_CLI };
    const { stdout } = await run(join(project, "offline.mjs"), env);
    expect(stdout).toBe("A bowline, a hitch, a bend. 1\n");
  });

  it("lets a program end that has forgotten to close its model, as a test that fails does", async () => {
    const file = join(project, "forgotten.mjs");
    const source = `import { SimulatedModel } from "hawser/testing";
      const { url } = await SimulatedModel.start({ replies: ["x"] });
      console.log(url);`;
    writeFileSync(file, source);
    expect((await run(file, {})).stdout).toMatch(/^http:\/\/127/);
  });
});

function run(file: string, env: Record<string, string>): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, [file], { env, cwd: project });
}
