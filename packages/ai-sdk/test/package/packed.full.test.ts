import { execFile } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AiVersion, packedProject } from "./packed-project.helper.js";

const run = promisify(execFile);

const PROGRAM = (entry: string, output: string) => `
import { generateText, Output, streamText, type LanguageModel } from "ai";
import { createHawser, type HawserSettings } from "${entry}";
import { fakeCli } from "hawser/testing";
import { z } from "zod";
const cli = await fakeCli({ steps: [{ on: "user", times: "always", do: [{ turn: [{ value: { knot: "bowline" } }] }] }] });
const settings: HawserSettings = { cliPath: cli.path, thinking: { type: "disabled" } };
const hawser = createHawser(settings);
const model: LanguageModel = hawser("sonnet");
const agent: LanguageModel = hawser.agent("sonnet", { allowedTools: ["Read"] });
const schema = z.object({ knot: z.string() });
const { output } = await generateText({ model, prompt: "Name a knot.", output: Output.object({ schema }) });
const knot: string = output.knot;
// @ts-expect-error: a misspelt setting is an error of the compiler too
const wrong: HawserSettings = { tinking: { type: "disabled" } };
const streamed = streamText({ model, prompt: "Name a knot." });
console.log(JSON.stringify({ knot, text: await streamed.text, agent: typeof agent, wrong: typeof wrong, version: ${output} }));
await hawser.close();
await cli.dispose();
`;

const PROJECTS = [
  { version: "ai 7", entry: "@hawser/ai-sdk", specification: "v4" },
  { version: "ai 6", entry: "@hawser/ai-sdk/v3", specification: "v3" },
] as const satisfies readonly { version: AiVersion; entry: string; specification: string }[];

const RUNTIMES = fileURLToPath(new URL("../../../hawser/test/runtimes", import.meta.url));
const NODE_22 = join(RUNTIMES, "node_modules/node-22/bin/node");
const missing = await installNode22();

describe.each(PROJECTS)("the packed package with $version", ({ version, entry, specification }) => {
  let folder: string;
  beforeAll(() => {
    folder = packedProject(version);
    const source = PROGRAM(entry, "hawser.specificationVersion");
    writeFileSync(join(folder, "use.ts"), source);
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    writeFileSync(join(folder, "use.js"), outputText);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ["nodenext", ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext] as const,
    ["bundler", ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler] as const,
  ])(
    "type-checks in a strict project with moduleResolution %s, without skipLibCheck",
    (_, module, resolution) => {
      expect(problemsIn(folder, module, resolution)).toEqual([]);
    },
    200_000,
  );

  it.for([
    { name: "this Node", file: process.execPath, why: undefined },
    { name: "Node 22", file: NODE_22, why: missing },
  ])("runs on $name", { timeout: 120_000 }, async ({ file, why }, test) => {
    if (why !== undefined) test.skip(why);
    const { stdout } = await run(file, [join(folder, "use.js")]);
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      knot: "bowline",
      agent: "object",
      version: specification,
    });
  });
});

/** The errors in the program and in our declarations. Those of other packages are not ours to check. */
function problemsIn(
  folder: string,
  module: ts.ModuleKind,
  moduleResolution: ts.ModuleResolutionKind,
): readonly string[] {
  const program = ts.createProgram([join(folder, "use.ts")], {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    lib: [
      "lib.es2023.d.ts",
      "lib.esnext.disposable.d.ts",
      "lib.dom.d.ts",
      "lib.dom.asynciterable.d.ts",
    ],
    module,
    moduleResolution,
    types: ["node"],
    typeRoots: [join(folder, "node_modules/@types")],
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit: true,
  });
  const ours = program.getSourceFiles().filter(({ fileName }) => {
    return fileName.startsWith(folder) && !/node_modules\/(?!@hawser\/|hawser\/)/.test(fileName);
  });
  expect(ours.some(({ fileName }) => fileName.includes("/@hawser/ai-sdk/dist/"))).toBe(true);
  const errors = ours.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  return [...program.getOptionsDiagnostics(), ...errors].map(({ file, messageText }) => {
    return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

/** Why Node 22 is not there; undefined if it is. */
async function installNode22(): Promise<string | undefined> {
  if (existsSync(NODE_22)) return undefined;
  try {
    const flags = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", flags, { cwd: RUNTIMES, shell: process.platform === "win32" });
    return existsSync(NODE_22) ? undefined : "Node 22 is not published for this platform";
  } catch (error) {
    return `Node 22 could not be installed by "npm ci": ${error}`;
  }
}
