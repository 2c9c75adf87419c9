import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));
const PAGE = fileURLToPath(new URL("../../../../docs/architecture.md", import.meta.url));

/** From the bottom up: a folder may import itself and what stands before it. */
const LAYERS = [
  "database",
  "engine",
  "accounting",
  "documents",
  "runs",
  "sessions",
  "approvals",
  "worker",
  "conversations",
  "command",
];

/** The SQL of each part is beside its code, and the migration joins it: text without any code. */
const TABLES = { importer: "database/migrations.ts", imported: /^\w+\/tables\.js$/ };

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly target: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);
const imports = files.flatMap((file) => importsIn(file, readFileSync(join(SRC, file), "utf8")));

function importsIn(file: string, text: string): Import[] {
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)];
  return found.map((match) => {
    const target = relative(SRC, resolve(SRC, dirname(file), match[1] ?? ""));
    return { file, from: folderOf(file), to: folderOf(target), target };
  });
}

/** Empty for the files that assemble the parts. */
function folderOf(path: string): string {
  const [first = "", ...rest] = path.split("/");
  return rest.length === 0 ? "" : first;
}

function isAllowed({ file, from, to, target }: Import): boolean {
  if (from === "") return true;
  if (file === TABLES.importer && TABLES.imported.test(target)) return true;
  // The command stands above the files that assemble the parts.
  if (to === "") return from === "command";
  return LAYERS.indexOf(to) >= 0 && LAYERS.indexOf(to) <= LAYERS.indexOf(from);
}

describe("the layers of @hawser/fleet", () => {
  it("are the only folders in src, and stand in the diagram of docs/architecture.md in this order", () => {
    const folders = new Set(files.map(folderOf).filter((folder) => folder !== ""));
    expect([...folders].filter((folder) => !LAYERS.includes(folder))).toEqual([]);
    const [, section = ""] = readFileSync(PAGE, "utf8").split("\n## The fleet\n");
    const [, diagram = ""] = section.split("```\n");
    const named = diagram.split("\n").flatMap((line) => /^([a-z]+) {2,}/.exec(line)?.[1] ?? []);
    expect(named).toEqual(LAYERS.toReversed());
  });

  it("import only downwards", () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(imports.filter((each) => !isAllowed(each))).toEqual([]);
  });

  it.each([
    ["runs/x.ts", "../worker/y.js"],
    ["database/x.ts", "../engine/y.js"],
    ["database/x.ts", "../runs/tables.js"],
    ["database/migrations.ts", "../runs/run.js"],
    ["worker/segment/x.ts", "../../fleet.js"],
  ])("do not allow %s to import %s", (file, specifier) => {
    const [each] = importsIn(file, `import { y } from "${specifier}";`);
    expect(each && isAllowed(each)).toBe(false);
  });
});
