import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "../support/folders.js";

const PACKAGES = join(REPOSITORY, "packages");

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

describe("packages", () => {
  it.each(readdirSync(PACKAGES))("%s imports other packages by name only, as declared", (name) => {
    expect(problemsIn(join(PACKAGES, name))).toEqual([]);
  });

  it("are read from the source text, imports over several lines included", () => {
    const source = readFileSync(join(PACKAGES, "hawser/src/session/session-core.ts"), "utf8");
    const imports = source.match(/\bfrom "/g) ?? [];
    expect(specifiersIn(source)).toHaveLength(imports.length);
    expect(imports.length).toBeGreaterThan(10);
  });

  it.each([
    ["../../gateway/src/index.js", "leaves the package"],
    ["../../../tools/dist.js", "leaves the package"],
    ["/work/hawser/src/index.js", "leaves the package"],
    ["@hawser/gateway", "is not declared"],
    ["undici", "is not declared"],
  ])("that import %s are reported", (specifier, problem) => {
    const source = `import { x } from ${JSON.stringify(specifier)};\n`;
    expect(problemsOf("/p/hawser", "/p/hawser/src/x.ts", source, { name: "hawser" })).toEqual([
      `src/x.ts: ${specifier} ${problem}`,
    ]);
  });

  it.each(["./y.js", "../src/y.js", "node:fs", "hawser", "zod", "zod/v4"])(
    "may import %s if it is declared",
    (specifier) => {
      const source = `export { x } from ${JSON.stringify(specifier)};\n`;
      const manifest = { name: "@hawser/x", dependencies: { hawser: "1.0.0", zod: "4.0.0" } };
      expect(problemsOf("/p/x", "/p/x/src/x.ts", source, manifest)).toEqual([]);
    },
  );
});

function problemsIn(folder: string): string[] {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const src = join(folder, "src");
  if (!existsSync(src)) return [];
  const files = readdirSync(src, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => /\.(ts|tsx|mjs|js)$/.test(file))
    .map((file) => join(src, file))
    .flatMap((file) => problemsOf(folder, file, readFileSync(file, "utf8"), manifest));
}

function problemsOf(folder: string, file: string, source: string, manifest: Manifest): string[] {
  const declared = { ...manifest.dependencies, ...manifest.peerDependencies };
  return specifiersIn(source).flatMap((specifier) => {
    const at = `${file.slice(folder.length + 1)}: ${specifier}`;
    if (/^[./]/.test(specifier)) {
      const target = resolve(dirname(file), specifier);
      return target.startsWith(`${folder}/src/`) ? [] : [`${at} leaves the package`];
    }
    if (specifier.startsWith("node:")) return [];
    const [scope = "", name] = specifier.split("/");
    const wanted = scope.startsWith("@") ? `${scope}/${name}` : scope;
    return Object.hasOwn(declared, wanted) ? [] : [`${at} is not declared`];
  });
}

/** Of static imports and exports, and of import() with a literal. Text in templates is not code. */
function specifiersIn(source: string): string[] {
  const statements = source.matchAll(/^(?:import|export|\})[^;`]*?from ["']([^"']+)["'];?$/gm);
  const bare = source.matchAll(/^import ["']([^"']+)["'];?$/gm);
  const dynamic = source.matchAll(/\bimport\(["']([^"']+)["']\)/g);
  return [...statements, ...bare, ...dynamic].map((match) => match[1] ?? "");
}
