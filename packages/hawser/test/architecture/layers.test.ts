import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** From the bottom up: a folder may import itself and what stands before it. */
const LAYERS = [
  "base",
  "wire",
  "schema",
  "options",
  "process",
  "transport",
  "control",
  "mcp",
  "transcripts",
  "session",
  "query",
  "complete",
  "pool",
  "answer",
  "council",
  "providers",
  "bin",
];

/** Fakes must not share our bugs: testing sees little of us, and only the command may see it. */
const TESTING_MAY_IMPORT = ["testing", "base", "wire", "process"];
const MAY_IMPORT_TESTING = ["testing", "bin"];

interface Import {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly target: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)];
  return found.map((match) => {
    const target = relative(SRC, resolve(SRC, dirname(file), match[1] ?? ""));
    return { file, from: folderOf(file), to: folderOf(target), target };
  });
}

function folderOf(path: string): string {
  const [first = "", ...rest] = path.split("/");
  return rest.length === 0 ? "" : first;
}

function allowed({ from, to }: Import): boolean {
  if (from === "") return to !== "testing";
  if (from === "testing") return TESTING_MAY_IMPORT.includes(to);
  if (to === "testing") return MAY_IMPORT_TESTING.includes(from);
  return LAYERS.indexOf(to) >= 0 && LAYERS.indexOf(to) <= LAYERS.indexOf(from);
}

const imports = files.flatMap(importsOf);

describe("the layers of src", () => {
  it("are the only folders in src", () => {
    const folders = new Set(files.map(folderOf).filter((folder) => folder !== ""));
    expect([...folders].filter((folder) => ![...LAYERS, "testing"].includes(folder))).toEqual([]);
  });

  it("are read from the source text", () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports).toContainEqual({
      file: "transport/inbox.ts",
      from: "transport",
      to: "base",
      target: "base/index.js",
    });
  });

  it("import only downwards", () => {
    expect(imports.filter((each) => !allowed(each))).toEqual([]);
  });

  it("import another folder only through its index", () => {
    const around = imports.filter(({ from, to, target }) => {
      return from !== to && to !== "" && target !== `${to}/index.js`;
    });
    expect(around).toEqual([]);
  });

  it("import no package but Node's", () => {
    const packages = files.flatMap((file) => {
      const text = readFileSync(join(SRC, file), "utf8");
      return [...text.matchAll(/^(?:import|export|\}).* from ["']([^."'][^"']*)["']/gm)].map(
        (match) => `${file}: ${match[1]}`,
      );
    });
    expect(packages.filter((line) => !line.includes(": node:"))).toEqual([]);
  });

  it.each([
    ["base", "wire"],
    ["options", "process"],
    ["transport", "complete"],
    ["testing", "transport"],
    ["complete", "testing"],
  ])("do not allow %s to import %s", (from, to) => {
    expect(allowed({ file: `${from}/x.ts`, from, to, target: `${to}/index.js` })).toBe(false);
  });
});

/** One concept that needs more than 400 lines, and why it is not cut. */
const LONG_FILES: Readonly<Record<string, string>> = {
  "options/options.ts": "every option with its documentation",
  "options/table/option-table.ts": "one row for each option",
};

describe("files in src", () => {
  it("hold one concept, rarely in more than 400 lines", () => {
    const long = files.filter(
      (file) => readFileSync(join(SRC, file), "utf8").split("\n").length > 400,
    );
    expect(long).toEqual(Object.keys(LONG_FILES));
  });
});
