import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isolatedEnv, SimulatedModel } from "../../src/testing/index.js";
import { FULL, NEWEST_CLI } from "../support/cli.js";
import { REPOSITORY } from "../support/folders.js";
import { type PackedProject, packedProject } from "./project.helper.js";

/** Of the tarball: what everybody who installs the package downloads. */
const BUDGET_BYTES = 600_000;

let packed: PackedProject;
let project = "";

beforeAll(() => {
  packed = packedProject();
  project = packed.folder;
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("the packed package", () => {
  it("contains only the files that it needs", () => {
    const files = readdirSync(packed.installed, { recursive: true, encoding: "utf8" });
    const tops = new Set(files.map((name) => name.split("/")[0]));
    expect([...tops].sort()).toEqual([
      ...["LICENSE", "README.md", "SECURITY.md"],
      ...["dist", "docs", "examples", "package.json"],
    ]);
    expect(files).toContain("dist/testing/fake-cli/main.mjs");
    const manifest = JSON.parse(readFileSync(join(packed.installed, "package.json"), "utf8"));
    expect(manifest.dependencies).toBeUndefined();
  });

  it("holds everything that its pages link to", () => {
    const files = readdirSync(packed.installed, { recursive: true, encoding: "utf8" });
    const links = files
      .filter((name) => name.endsWith(".md"))
      .flatMap((page) => {
        const text = readFileSync(join(packed.installed, page), "utf8");
        const found = [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)];
        return found.map(([, link = ""]) => ({ page, file: join(dirname(page), link) }));
      });
    expect(links.length).toBeGreaterThan(50);
    const missing = links.filter(({ file }) => !files.includes(file.replace(/\/$/, "")));
    expect(missing).toEqual([]);
  });

  it("is not minified, and has a source map for every file that the root imports", () => {
    const file = join(packed.installed, "dist/shared/hawser.js");
    const lines = readFileSync(file, "utf8").split("\n");
    expect(lines.length).toBeGreaterThan(10_000);
    const { sources, sourcesContent } = JSON.parse(readFileSync(`${file}.map`, "utf8"));
    expect(sources).toContain("../../src/session/session.ts");
    expect(sourcesContent).toBeUndefined();
  });

  it(`is smaller than ${BUDGET_BYTES / 1000} KB`, () => {
    expect(statSync(packed.tarball).size).toBeLessThan(BUDGET_BYTES);
  });

  it.each([
    ...(FULL ? [["with a CLI", NEWEST_CLI] as const] : []),
    ["without a CLI", "/nowhere/claude"] as const,
  ])("runs the README's first example as it stands, %s", async (_, cli) => {
    const [example = ""] = readmeExamples();
    expect(example.trim().split("\n").length).toBeLessThanOrEqual(8);
    writeFileSync(join(project, "first.mjs"), example);
    const env = { PATH: process.env["PATH"] ?? "", HAWSER_CLI: cli };
    const { stdout } = await run(join(project, "first.mjs"), env);
    expect(stdout).toBe("Bowline, sheet bend, figure eight.\n");
  });

  it("runs the README's second example, which needs an account", async () => {
    const [, example = ""] = readmeExamples();
    writeFileSync(join(project, "second.mjs"), example);
    const model = await SimulatedModel.start({ replies: ["Bowline, sheet bend, figure eight."] });
    const world = await isolatedEnv({ baseUrl: model.url, extra: { HAWSER_CLI: NEWEST_CLI } });
    const { stdout } = await run(join(project, "second.mjs"), world.env);
    await world.dispose();
    await model.close();
    expect(stdout).toMatch(
      /^Bowline, sheet bend, figure eight\.\nclaude-\S+, 5 tokens, \$0\.\d+\n$/,
    );
  });

  it.runIf(FULL)("runs the README's example for tests", async () => {
    const example = readmeExamples().find((source) => source.includes("canUseTool")) ?? "";
    writeFileSync(join(project, "offline.mjs"), example);
    const env = { PATH: process.env["PATH"] ?? "", HAWSER_CLI: NEWEST_CLI };
    const { stdout } = await run(join(project, "offline.mjs"), env);
    expect(stdout).toBe("No Bash for you.\n2\n");
  });

  it("answers in an empty project, with no account and no CLI", async () => {
    const empty = join(project, "empty");
    mkdirSync(empty);
    const env = { PATH: process.env["PATH"] ?? "", HOME: empty, HAWSER_CLI: "/nowhere/claude" };
    const npm = (...args: string[]) => promisify(execFile)("npm", args, { cwd: empty, env });
    await npm("install", "--offline", "--no-audit", "--no-fund", packed.tarball);
    const { stdout } = await npm("exec", "--offline", "--", "hawser", "ask", "--offline", "hello");
    expect(stdout).toContain("You said: hello");
    if (!FULL) return;
    const found = { ...env, HAWSER_CLI: NEWEST_CLI };
    const args = ["hawser", "ask", "--offline", "--json", "hello"];
    const real = await promisify(execFile)("npx", ["--offline", ...args], {
      cwd: empty,
      env: found,
    });
    expect(JSON.parse(real.stdout)).toMatchObject({
      stop: "completed",
      model: expect.stringMatching(/^claude-/),
    });
  });

  it("contains the fake CLI as a program, which plays a scenario with functions", async () => {
    const scenario = join(project, "scenario.mjs");
    const steps = `[{ on: "user", do: [(cli) => cli.do({ turn: "Knots " + cli.argv.length })] }]`;
    writeFileSync(scenario, `export default { steps: ${steps} };`);
    const main = join(packed.installed, "dist/testing/fake-cli/main.mjs");
    const file = join(project, "fake.mjs");
    const source = `import { complete } from "hawser";
      const env = { HAWSER_FAKE_SCENARIO: ${JSON.stringify(scenario)} };
      console.log((await complete("x", { cliPath: ${JSON.stringify(main)}, env })).text);`;
    writeFileSync(file, source);
    const { stdout } = await run(file, { PATH: process.env["PATH"] ?? "" });
    expect(stdout).toMatch(/^Knots \d+\n$/);
  });

  it("lets a program exit that did not close its SimulatedModel", async () => {
    const file = join(project, "forgotten.mjs");
    const source = `import { SimulatedModel } from "hawser/testing";
      const { url } = await SimulatedModel.start({ replies: ["x"] });
      console.log(url);`;
    writeFileSync(file, source);
    expect((await run(file, {})).stdout).toMatch(/^http:\/\/127/);
  });

  it("lets a program exit while a client is connected to its SimulatedModel", async () => {
    const file = join(project, "kept.mjs");
    // The client goes when its input ends, which is when the program is gone.
    const client = `
      const socket = require("node:net").connect(process.argv[1], "127.0.0.1");
      socket.write("HEAD / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n");
      process.stdin.on("end", () => process.exit()).resume();`;
    const source = `import { spawn } from "node:child_process";
      import { SimulatedModel } from "hawser/testing";
      const model = await SimulatedModel.start();
      const args = ["-e", ${JSON.stringify(client)}, new URL(model.url).port];
      const child = spawn(process.execPath, args, { stdio: ["pipe", "ignore", "ignore"] });
      await model.waitFor(() => true);
      child.unref();
      child.stdin.unref();
      console.log(model.requests.length);`;
    writeFileSync(file, source);
    expect((await run(file, {})).stdout).toBe("1\n");
  });
});

function run(file: string, env: Record<string, string>): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, [file], { env, cwd: project });
}

function readmeExamples(): string[] {
  const readme = readFileSync(join(REPOSITORY, "README.md"), "utf8");
  return [...readme.matchAll(/```[jt]s\n([\s\S]*?)```/g)].map(([, source = ""]) => source);
}
