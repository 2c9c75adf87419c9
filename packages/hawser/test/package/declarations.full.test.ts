import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { joinDeclarations } from "../../scripts/declarations.js";

/** So that they know of Node in a project that names no types. */
const NODE = '/// <reference types="node" />\n';

/** What becomes of these files, by name. */
function joined(
  files: Readonly<Record<string, string>>,
  entries: Readonly<Record<string, readonly string[]>>,
): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "hawser-declarations-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  joinDeclarations(folder, entries);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const written = names.filter((name) => name.endsWith(".d.ts")).sort();
  return Object.fromEntries(
    written.map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

it("declarations are joined by what leads to them, and what nothing leads to is left out", () => {
  const files = {
    "index.d.ts": `export type * from "./a.js";\nexport { make } from "./a.js";\nexport type { Made as Thing } from "./b.js";\n`,
    "a.d.ts": `import type { Made as Product } from "./b.js";
import type { Readable } from "node:stream";
/** Makes. */
export declare function make(from: Readable): Product;
export declare function hidden(): Unused;
export declare class Maker { go(): Product; }
interface Unused { readonly x: 1; }
export {};
`,
    "b.d.ts": `import type { Part } from "./c.js";
/** What is made. */
export interface Made {
    /** Its part. */
    readonly part: Part;
}
`,
    "c.d.ts": `/** Of no name outside. */
export interface Part { readonly n: number; }
`,
  };
  expect(joined(files, { index: ["make"] })).toEqual({
    "index.d.ts": `${NODE}import { Readable } from "node:stream";
interface Part { readonly n: number; }
/** What is made. */
export interface Thing {
	/** Its part. */
	readonly part: Part;
}
/** Makes. */
export declare function make(from: Readable): Thing;
declare class Maker { go(): Thing; }
export type { Maker };
`,
  });
});

it("what two entries need is declared once, and equal names are kept apart", () => {
  const files = {
    "index.d.ts": `export { type Both } from "./both.js";\nexport type { Own } from "./x.js";\nexport type { Later } from "./y.js";\n`,
    "testing/index.d.ts": `export type { Both } from "../both.js";\nexport interface Own { readonly testing: Both; readonly at: Date; }\n`,
    "both.d.ts": `import type { Same } from "./x.js";\nimport type { Same as Other } from "./y.js";\n/** Of both. */\nexport interface Both { readonly a: Same; readonly b: Other; }\n`,
    "x.d.ts": `export interface Same { readonly x: 1; }\nexport interface Own { readonly root: Same; }\n`,
    "y.d.ts": `export interface Same { readonly y: 1; }\ninterface Date { readonly ours: 1; }\nexport interface Later { readonly at: Date; readonly of: globalThis.Date; }\n`,
  };
  expect(joined(files, { index: [], "testing/index": [] })).toEqual({
    "index.d.ts": `${NODE}import { Both, Same } from "./shared/types.js";
export interface Own { readonly root: Same; }
interface Date_1 { readonly ours: 1; }
export interface Later { readonly at: Date_1; readonly of: globalThis.Date; }
export type { Both };
`,
    "shared/types.d.ts": `${NODE}export interface Same { readonly x: 1; }
export interface Same_1 { readonly y: 1; }
/** Of both. */
export interface Both { readonly a: Same; readonly b: Same_1; }
export {};
`,
    "testing/index.d.ts": `${NODE}import { Both } from "../shared/types.js";
export interface Own { readonly testing: Both; readonly at: Date; }
export type { Both };
`,
  });
});

it("a name of the language or of Node is not taken by a declaration that is put beside its use", () => {
  const files = {
    "index.d.ts": `export type { A } from "./a.js";\nexport type { B } from "./b.js";\n`,
    "a.d.ts": `export interface A { readonly at: Date; readonly signal: NodeJS.Signals; }\n`,
    "b.d.ts": `interface Date { readonly ours: 1; }\nexport interface B { readonly at: Date; }\n`,
  };
  expect(joined(files, { index: [] })).toEqual({
    "index.d.ts": `${NODE}export interface A { readonly at: Date; readonly signal: NodeJS.Signals; }
interface Date_1 { readonly ours: 1; }
export interface B { readonly at: Date_1; }
export {};
`,
  });
});

it("a value without a declaration, and what it does not know how to join, are errors", () => {
  expect(() => joined({ "index.d.ts": "export {};\n" }, { index: ["lost"] })).toThrow(/lost/);
  const files = {
    "index.d.ts": 'export declare const a: import("./b.js").B;\n',
    "b.d.ts": "export type B = 1;\n",
  };
  expect(() => joined(files, { index: ["a"] })).toThrow(/import\(\) type is not handled/);
});
