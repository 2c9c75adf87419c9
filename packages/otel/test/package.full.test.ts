import { execFileSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

const USE = `
import { instrument, type ContentOptions, type InstrumentOptions } from "@hawser/otel";
import { trace } from "@opentelemetry/api";
const content: ContentOptions = { tools: false, maxLength: 100, mask: (text) => text };
const options: InstrumentOptions = { tracerProvider: trace.getTracerProvider(), content };
const stop: () => void = instrument(options);
// @ts-expect-error: a misspelt option is an error of the compiler
instrument({ contents: true });
stop();
console.log("stopped");
`;

let project = "";

/** An empty project, into which npm installs the packed packages and the API of OpenTelemetry. */
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), "hawser-otel-")));
  writeFileSync(join(project, "package.json"), '{ "type": "module", "private": true }');
  const packed = ["packages/hawser", "packages/otel", "node_modules/@opentelemetry/api"];
  for (const folder of packed) {
    npm(["pack", "--ignore-scripts", "--pack-destination", project], join(REPOSITORY, folder));
  }
  const tarballs = readdirSync(project).filter((name) => name.endsWith(".tgz"));
  npm(["install", "--offline", "--no-audit", ...tarballs.map((name) => `./${name}`)], project);
  writeFileSync(join(project, "use.ts"), USE);
  for (const name of ["@types", "undici-types"]) {
    symlinkSync(join(REPOSITORY, "node_modules", name), join(project, "node_modules", name));
  }
}, 120_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe("the packed package", () => {
  const { NodeNext, ESNext } = ts.ModuleKind;

  it.each([
    ["nodenext", NodeNext, ts.ModuleResolutionKind.NodeNext],
    ["bundler", ESNext, ts.ModuleResolutionKind.Bundler],
  ])("type-checks in an empty project with moduleResolution %s", (_, module, resolution) => {
    const program = ts.createProgram([join(project, "use.ts")], {
      strict: true,
      exactOptionalPropertyTypes: true,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
      module,
      moduleResolution: resolution,
      types: ["node"],
      typeRoots: [join(project, "node_modules/@types")],
      skipLibCheck: false,
      noEmit: true,
    });
    const ours = program
      .getSourceFiles()
      .filter(({ fileName }) => /use\.ts|\/@hawser\/otel\//.test(fileName));
    expect(ours.length).toBeGreaterThan(2);
    const errors = ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    const texts = errors.map(({ messageText }) =>
      ts.flattenDiagnosticMessageText(messageText, "\n"),
    );
    expect([...texts, ...program.getGlobalDiagnostics()]).toEqual([]);
  });

  it("runs in an empty project, and has nothing but its dist and its guide", () => {
    const { outputText } = ts.transpileModule(USE, { compilerOptions: { module: ESNext } });
    writeFileSync(join(project, "use.mjs"), outputText);
    const printed = execFileSync(process.execPath, ["use.mjs"], { cwd: project, encoding: "utf8" });
    expect(printed).toBe("stopped\n");
    const files = readdirSync(join(project, "node_modules/@hawser/otel"));
    expect(files.sort()).toEqual(["README.md", "dist", "package.json"]);
  });
});

function npm(args: readonly string[], cwd: string): void {
  execFileSync("npm", [...args, "--silent"], { cwd, stdio: ["ignore", "pipe", "pipe"] });
}
