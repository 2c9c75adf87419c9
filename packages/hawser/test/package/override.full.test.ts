import { execFile, execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
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
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isolatedEnv, SimulatedModel, toolUse } from "../../src/testing/index.js";
import { clisInTurn, FULL } from "../support/cli.js";
import { PACKAGE, REPOSITORY } from "../support/folders.js";
import { exportedTypes, programOf } from "../types/program.helper.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const OFFICIAL = "@anthropic-ai/claude-agent-sdk";
/** The compiler checks every declaration of Node and of zod too. */
const LIMIT_MS = 200_000;

/** A package of somebody else's, written for the official one. */
const DEP = `
import { query, tool, createSdkMcpServer, AbortError, HOOK_EVENTS } from "${OFFICIAL}";
import { z } from "zod";
export async function run(prompt, options) {
  const add = tool("add", "Adds.", { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
  }));
  const calc = createSdkMcpServer({ name: "calc", tools: [add], alwaysLoad: true });
  const seen = [];
  for await (const message of query({ prompt, options: { ...options, mcpServers: { calc } } })) {
    seen.push(message.type);
    if (message.type === "result") seen.push(message.result);
  }
  return { seen, abort: new AbortError("x") instanceof Error, hooks: HOOK_EVENTS.length };
}
`;

let project = "";

/** A project that overrides the official package by this one, for that package. */
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "hawser-override-")));
  const dep = join(project, "dep");
  mkdirSync(dep);
  const manifest = {
    name: "dep",
    version: "1.0.0",
    type: "module",
    exports: "./index.js",
    dependencies: { [OFFICIAL]: "^0.3.0" },
  };
  writeFileSync(join(dep, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(dep, "index.js"), DEP);
  const app = {
    type: "module",
    dependencies: { dep: `file:${pack(dep)}` },
    overrides: { [OFFICIAL]: `file:${pack(PACKAGE)}` },
  };
  writeFileSync(join(project, "package.json"), JSON.stringify(app));
  const install = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", [...install, "--cache", join(project, "cache")], {
    cwd: project,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "@types"), { recursive: true });
  for (const name of ["@types/node", "undici-types", "zod"]) {
    symlinkSync(join(REPOSITORY, "node_modules", name), join(modules, name));
  }
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("a package that imports the official SDK", () => {
  it("gets hawser by an npm override", () => {
    const path = join(project, "node_modules", OFFICIAL, "package.json");
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ name: "hawser" });
  });

  it.each(clisInTurn())("runs with hawser on $name", async ({ path }) => {
    const main = `
      import { run } from "dep";
      const options = { pathToClaudeCodeExecutable: process.argv[2], allowedTools: ["mcp__calc__add"] };
      console.log(JSON.stringify(await run("add", options)));`;
    writeFileSync(join(project, "main.js"), main);
    const model = await SimulatedModel.start({
      replies: [
        toolUse("mcp__calc__add", { a: 2, b: 3 }),
        (call) => `It is ${call.toolResults[0]?.text}.`,
      ],
    });
    const { env, dispose } = await isolatedEnv({ baseUrl: model.url });
    const args = [join(project, "main.js"), path];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, cwd: project });
    await dispose();
    await model.close();
    expect(JSON.parse(stdout)).toEqual({
      seen: ["system", "assistant", "user", "assistant", "result", "It is 5."],
      abort: true,
      hooks: 33,
    });
  });
});

describe("code with the official types", () => {
  it.each([["nodenext", "nodenext"] as const, ...(FULL ? [["esnext", "bundler"] as const] : [])])(
    "compiles with module %s and moduleResolution %s",
    async (module, resolution) => {
      const source = readFileSync(join(HERE, "consumer.ts"), "utf8");
      writeFileSync(join(project, "consumer.ts"), source.replace("../../src/index.js", OFFICIAL));
      const flags = ["--noEmit", "--strict", "--skipLibCheck", String(!FULL), "--types", "node"];
      flags.push(
        "--target",
        "es2022",
        "--lib",
        "es2023,esnext.disposable",
        "--skipDefaultLibCheck",
      );
      flags.push("--module", module, "--moduleResolution", resolution, "consumer.ts");
      const run = promisify(execFile)(process.execPath, [TSC, ...flags], { cwd: project });
      const said = await run.then(
        () => "",
        (error: { stdout: string }) => error.stdout,
      );
      expect(said).toBe("");
    },
    LIMIT_MS,
  );

  it.runIf(FULL)(
    "finds every exported type, none of them `any`",
    () => {
      const file = join(project, "node_modules", OFFICIAL, "dist/index.d.ts");
      const types = [...exportedTypes(programOf([file], true), file)];
      expect(types.length).toBeGreaterThan(300);
      const lost = types.filter(([, { flags }]) => (flags & ts.TypeFlags.Any) !== 0);
      expect(lost.map(([name]) => name)).toEqual([]);
    },
    LIMIT_MS,
  );
});

/** The path of its tarball. */
function pack(folder: string): string {
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", project];
  const out = execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  return join(project, out.toString().trim().split("\n").at(-1) ?? "");
}
