import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData, type Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FULL } from "../support/cli.js";
import { PACKAGE, REPOSITORY } from "../support/folders.js";
import { type PackedProject, packedProject } from "./project.helper.js";

const USE = `
import { complete, HawserError, isHawserError, type CompleteOptions, type Completion } from "hawser";
import { ClaudeCliProvider, type MagiError, toMagiError } from "hawser/providers";
import { SimulatedModel, isolatedEnv } from "hawser/testing";
const options: CompleteOptions = { model: "sonnet", tools: [], timeouts: { totalMs: 1000 } };
const maybe: string | undefined = process.env["MODEL"];
const loose: CompleteOptions = { model: maybe, signal: undefined };
const completion: Completion = await complete("x", { ...options, ...loose });
const text: string = completion.text;
// @ts-expect-error: a misspelt option is an error of the compiler too
await complete("x", { modle: "sonnet" });
// @ts-expect-error: there is no such value at run time
export { OPTION_TABLE, Session } from "hawser";
// @ts-expect-error: the providers are a subpath of their own
export { ClaudeCodeProvider } from "hawser";
const reviewer = new ClaudeCliProvider("sonnet", options);
const failure: MagiError = toMagiError(new HawserError("auth"));
const model = await SimulatedModel.start({ replies: [text] });
const world = await isolatedEnv({ baseUrl: model.url });
console.log(reviewer.model, failure.kind, world.cwd, isHawserError(undefined, "auth"), new HawserError("auth").code);
`;

let packed: PackedProject;

beforeAll(() => {
  packed = packedProject();
  writeFileSync(join(packed.folder, "use.ts"), USE);
});

afterAll(() => rmSync(packed.folder, { recursive: true, force: true }));

describe("the declarations of the packed package", () => {
  const { ESNext, Node16, NodeNext } = ts.ModuleKind;
  it.each([
    ["nodenext", NodeNext, ts.ModuleResolutionKind.NodeNext] as const,
    ...(FULL
      ? [
          ["node16", Node16, ts.ModuleResolutionKind.Node16] as const,
          ["bundler", ESNext, ts.ModuleResolutionKind.Bundler] as const,
        ]
      : []),
  ])(
    "compile in a strict project with moduleResolution %s, without skipLibCheck",
    (_, module, resolution) => {
      const { errors, ours } = compiled(packed, module, resolution);
      expect(errors).toEqual([]);
      expect(ours).toEqual([
        "/node_modules/hawser/dist/index.d.ts",
        "/node_modules/hawser/dist/providers/index.d.ts",
        "/node_modules/hawser/dist/shared/types.d.ts",
        "/node_modules/hawser/dist/testing/index.d.ts",
        "/use.ts",
      ]);
    },
    200_000,
  );

  it("compile with the newest types of Node, in which the parameters of TracingChannel are in another order", () => {
    const project = packedProject("types-node-26");
    try {
      writeFileSync(join(project.folder, "use.ts"), USE);
      const { errors } = compiled(project, NodeNext, ts.ModuleResolutionKind.NodeNext);
      expect(errors).toEqual([]);
    } finally {
      rmSync(project.folder, { recursive: true, force: true });
    }
  }, 200_000);

  it("export the same names, members and comments as the sources", () => {
    const entries = ["index", "answer/index", "providers/index", "testing/index"];
    const named = (ending: string) => entries.map((entry) => `${entry}.${ending}`);
    const ours = surfaceOf(join(PACKAGE, "src"), ...named("ts"));
    const theirs = surfaceOf(join(packed.installed, "dist"), ...named("d.ts"));
    expect(theirs.size).toBeGreaterThan(500);
    // A constant or function that `export type *` has named could only be used in `typeof`.
    const wanted = [...ours].filter(([name, { isType }]) => isType || theirs.has(name));
    expect([...theirs.keys()].sort()).toEqual(wanted.map(([name]) => name).sort());
    for (const [name, { comment, members }] of wanted) {
      expect({ name, ...theirs.get(name) }).toMatchObject({ name, comment, members });
    }
  }, 200_000);

  it("have no problem that attw finds", async () => {
    const data = new Uint8Array(readFileSync(packed.tarball));
    const result = await checkPackage(createPackageFromTarballData(data));
    if (result.types === false) throw new Error("attw finds no types");
    expect(result.problems.filter((problem) => !isOfEsmOnly(problem))).toEqual([]);
  });
});

it("publint finds nothing wrong with the package", async () => {
  const tarball = new Uint8Array(readFileSync(packed.tarball));
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

/**
 * The package is ESM only by design: a CommonJS file gets it by require() of Node 20.19 and later, and
 * resolution as before Node 12 does not know subpaths. attw calls that the profile "esm-only".
 */
function isOfEsmOnly(problem: Problem): boolean {
  if (problem.kind === "CJSResolvesToESM") return true;
  return problem.kind === "NoResolution" && problem.resolutionKind === "node10";
}

/** The errors in our files, and the names of these files. */
function compiled(
  project: PackedProject,
  module: ts.ModuleKind,
  resolution: ts.ModuleResolutionKind,
): { readonly errors: readonly string[]; readonly ours: readonly string[] } {
  const program = programOf(project, module, resolution);
  // Those of Node are not ours to check, and would take three times as long.
  const isOurs = ({ fileName }: ts.SourceFile) =>
    !/node_modules\/(@types|types-node-26|typescript|undici-types)\//.test(fileName);
  const files = program.getSourceFiles().filter(isOurs);
  const errors = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ];
  return {
    errors: errors.map(({ file, messageText }) => {
      return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    }),
    ours: files.map(({ fileName }) => fileName.replace(project.folder, "")).sort(),
  };
}

function programOf(
  { folder }: PackedProject,
  module: ts.ModuleKind,
  moduleResolution: ts.ModuleResolutionKind,
): ts.Program {
  return ts.createProgram([join(folder, "use.ts")], {
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    module,
    moduleResolution,
    types: ["node"],
    typeRoots: [join(folder, "node_modules/@types")],
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit: true,
  });
}

interface Exported {
  readonly isType: boolean;
  readonly comment: string;
  /** The names of what an object of the type has. */
  readonly members: readonly string[];
}

/** By `entry name`: what a person sees of an export in an editor. */
function surfaceOf(folder: string, ...entries: readonly string[]): Map<string, Exported> {
  const files = entries.map((entry) => join(folder, entry));
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    strict: true,
    types: ["node"],
    typeRoots: [join(REPOSITORY, "node_modules/@types")],
  });
  const checker = program.getTypeChecker();
  const found = new Map<string, Exported>();
  for (const [at, file] of files.entries()) {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    for (const exported of checker.getExportsOfModule(module)) {
      const alias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = alias ? checker.getAliasedSymbol(exported) : exported;
      const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
      const isType = (symbol.flags & ts.SymbolFlags.Type) !== 0;
      const type = isType
        ? checker.getDeclaredTypeOfSymbol(symbol)
        : checker.getTypeOfSymbol(symbol);
      const members = checker
        .getPropertiesOfType(type)
        .filter((member) => !member.name.startsWith("#") && !isOfTheLanguage(member, program))
        .map((member) => {
          const said = ts.displayPartsToString(member.getDocumentationComment(checker));
          return `${memberName(member)}: ${said}`;
        })
        .sort();
      found.set(`${at} ${exported.name}`, { isType, comment, members });
    }
  }
  return found;
}

/** What every string, array or date has: which of it a union shows depends on its order. */
function isOfTheLanguage({ declarations = [] }: ts.Symbol, program: ts.Program): boolean {
  return declarations.some((each) => program.isSourceFileDefaultLibrary(each.getSourceFile()));
}

/** Without the number that the compiler gives to a symbol such as `Symbol.asyncIterator`. */
function memberName({ name }: ts.Symbol): string {
  return name.replace(/@\d+$/, "");
}
