// Joins the declarations that the compiler has written, one file for each source file, into three:
// what only the root needs, what only hawser/testing needs, and what both need. What no export leads
// to is left out. Bundlers for this exist; those that were tried turn `export type *` into exports of
// values that are not there, or need a newer Node than the package itself.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import ts from "typescript";

const SHARED = "shared/types";

/**
 * `entries`: for each entry, such as "testing/index", the names that its code exports as values.
 * The files are read from `folder` and replaced there.
 */
export function joinDeclarations(folder, entries) {
  const roots = Object.keys(entries).map((entry) => join(folder, `${entry}.d.ts`));
  const program = ts.createProgram(roots, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    types: ["node"],
  });
  const graph = new Graph(program, folder);
  const surfaces = Object.entries(entries).map(([entry, values], at) =>
    graph.surface(entry, roots[at], new Set(values)),
  );
  const files = settle(surfaces);
  const written = files.map((file) => [file.name, print(file)]);
  removeDeclarations(folder);
  for (const [name, text] of written) {
    const path = join(folder, `${name}.d.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** The declarations of top level and what each of them refers to. */
class Graph {
  #checker;
  #program;
  #folder;
  #parts = new Map();

  constructor(program, folder) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#folder = folder;
  }

  /** What an entry exports, and all that this leads to. */
  surface(entry, path, values) {
    const module = this.#checker.getSymbolAtLocation(this.#program.getSourceFile(path));
    const exported = [];
    for (const symbol of this.#checker.getExportsOfModule(module)) {
      const target = this.#resolve(symbol);
      const isValue = values.delete(symbol.name);
      // A constant or function that `export type *` has named could only be used in `typeof`.
      if (!isValue && (target.flags & ts.SymbolFlags.Type) === 0) continue;
      const part = this.#part(target);
      part.isPublic = true;
      exported.push({ name: symbol.name, isValue, part });
    }
    if (values.size > 0) throw new Error(`${entry}: no declaration of ${[...values].join(", ")}`);
    return { entry, exported, reached: reach(exported.map(({ part }) => part)) };
  }

  #part(symbol) {
    const known = this.#parts.get(symbol);
    if (known !== undefined) return known;
    const part = { ...nothing(), name: symbol.name };
    this.#parts.set(symbol, part);
    for (const statement of new Set(symbol.declarations.map(statementOf))) {
      const source = statement.getSourceFile();
      part.order = this.#program.getSourceFiles().indexOf(source) * 1e7 + statement.pos;
      part.texts.push({ statement, source, spots: this.#spots(statement, part) });
    }
    return part;
  }

  /** Where in a statement another one is named. */
  #spots(statement, part) {
    const spots = [];
    const visit = (node) => {
      if (ts.isImportTypeNode(node)) throw unknown(node, "import() type");
      if (ts.isIdentifier(node)) {
        const to = this.#reference(node, part);
        if (to !== undefined) spots.push({ start: node.getStart(), end: node.end, to });
      }
      ts.forEachChild(node, visit);
    };
    visit(statement);
    part.references.push(...spots.map(({ to }) => to));
    return spots;
  }

  /** The part or the import that an identifier stands for; undefined if it is none of top level. */
  #reference(node, part) {
    const symbol = this.#checker.getSymbolAtLocation(node);
    if (symbol === undefined) return undefined;
    const bare = symbol.declarations?.map(importOf).find((module) => module !== undefined);
    if (bare !== undefined) return this.#imported(symbol, bare);
    const target = this.#resolve(symbol);
    const [declaration] = target.declarations ?? [];
    if (declaration === undefined) return undefined;
    if (!this.#isOurs(declaration)) {
      if (target.parent === undefined) part.globals.add(target.name);
      return undefined;
    }
    if (ts.isSourceFile(declaration)) throw unknown(node, "namespace import");
    return isTopLevel(declaration) ? this.#part(target) : undefined;
  }

  #imported(symbol, module) {
    const [specifier] = symbol.declarations;
    if (!ts.isImportSpecifier(specifier)) throw unknown(specifier, "default or namespace import");
    const name = (specifier.propertyName ?? specifier.name).text;
    const key = `${module} ${name}`;
    const known = this.#parts.get(key);
    const part = known ?? { ...nothing(), name, module };
    this.#parts.set(key, part);
    return part;
  }

  #resolve(symbol) {
    return (symbol.flags & ts.SymbolFlags.Alias) === 0
      ? symbol
      : this.#checker.getAliasedSymbol(symbol);
  }

  #isOurs(declaration) {
    return declaration.getSourceFile().fileName.startsWith(posix.join(this.#folder, "/"));
  }
}

/** A part of which nothing is known yet; see the places that fill it. */
function nothing() {
  /** @type {{ statement: any, source: any, spots: any[] }[]} */
  const texts = [];
  return { texts, references: [], globals: new Set(), order: 0, isPublic: false };
}

function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function isTopLevel(declaration) {
  return ts.isSourceFile(statementOf(declaration).parent);
}

/** The module of an import that is not one of our files. */
function importOf(declaration) {
  const from = ts.findAncestor(declaration, ts.isImportDeclaration)?.moduleSpecifier;
  if (from === undefined || !ts.isStringLiteral(from)) return undefined;
  return from.text.startsWith(".") ? undefined : from.text;
}

function unknown(node, what) {
  return new Error(`${node.getSourceFile().fileName}: ${what} is not handled: ${node.getText()}`);
}

function reach(parts) {
  const seen = new Set();
  const visit = (part) => {
    if (seen.has(part)) return;
    seen.add(part);
    part.references.forEach(visit);
  };
  parts.forEach(visit);
  return seen;
}

/** Which part goes to which file, and its name there. */
function settle(surfaces) {
  const files = new Map();
  const fileOf = (name) => {
    if (!files.has(name)) files.set(name, { name, parts: [], names: new Map(), exported: [] });
    return files.get(name);
  };
  for (const { entry, exported } of surfaces) fileOf(entry).exported = exported;
  for (const part of new Set(surfaces.flatMap(({ reached }) => [...reached]))) {
    if (part.module !== undefined) continue;
    const owners = surfaces.filter(({ reached }) => reached.has(part));
    part.file = fileOf(owners.length > 1 ? SHARED : owners[0].entry);
    part.file.parts.push(part);
  }
  for (const file of files.values()) nameParts(file);
  const shared = files.get(SHARED);
  for (const part of shared?.parts ?? []) {
    shared.exported.push({ name: shared.names.get(part), isValue: true, part });
  }
  return [...files.values()];
}

/** Gives every part of a file, and all that it imports, a name of its own there. */
function nameParts(file) {
  file.parts.sort((a, b) => a.order - b.order);
  const taken = new Set(file.parts.flatMap(({ globals }) => [...globals]));
  const publicNames = new Map(file.exported.map(({ name, part }) => [part, name]));
  const needed = new Set([...file.parts, ...file.exported.map(({ part }) => part)]);
  for (const to of file.parts.flatMap(({ references }) => references)) needed.add(to);
  // An export keeps its name before all others: it is what an editor shows.
  const inOrder = [...needed].sort(
    (a, b) => Number(publicNames.has(b)) - Number(publicNames.has(a)),
  );
  for (const part of inOrder) {
    let name = publicNames.get(part) ?? part.name;
    for (let n = 1; taken.has(name); n++) name = `${part.name}_${n}`;
    taken.add(name);
    file.names.set(part, name);
  }
}

function print(file) {
  // What is declared here under the name that it is exported by is exported where it stands.
  const inPlace = new Set();
  const values = [];
  const types = [];
  for (const { name, isValue, part } of file.exported) {
    const local = file.names.get(part);
    const isType = part.texts.every(({ statement }) => isTypeOnly(statement));
    if (part.file === file && local === name && (isValue || isType)) inPlace.add(part);
    else (isValue ? values : types).push(local === name ? name : `${local} as ${name}`);
  }
  const sections = [
    // A project whose tsconfig names no types, as that of TypeScript 6 does, knows nothing of Node.
    '/// <reference types="node" />',
    imports(file),
    ...file.parts.map((part) => textOf(part, file, inPlace.has(part))),
    clause("export", values),
    // With a clause, even an empty one, what does not say `export` is not exported.
    clause("export type", types) || "export {};",
  ];
  return `${sections.filter((section) => section !== "").join("\n")}\n`;
}

function isTypeOnly(statement) {
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
}

function clause(keyword, names) {
  return names.length === 0 ? "" : `${keyword} { ${names.sort().join(", ")} };`;
}

function imports(file) {
  const from = new Map();
  for (const [part, local] of file.names) {
    if (part.file === file) continue;
    const module = part.module ?? relativeModule(file.name, part.file.name);
    const name = part.file?.names.get(part) ?? part.name;
    const imported = name === local ? name : `${name} as ${local}`;
    from.set(module, [...(from.get(module) ?? []), imported]);
  }
  const lines = [...from].map(
    ([module, names]) => `import { ${names.sort().join(", ")} } from "${module}";`,
  );
  return lines.sort().join("\n");
}

function relativeModule(from, to) {
  const path = posix.relative(posix.dirname(from), to);
  return `${path.startsWith(".") ? path : `./${path}`}.js`;
}

function textOf(part, file, isExported) {
  return part.texts.map((piece) => pieceOf(piece, part, file, isExported)).join("\n");
}

function pieceOf({ statement, source, spots }, part, file, isExported) {
  // Nobody is shown the comment of a declaration that has no name outside; of its members, yes.
  const start = statement.getStart(source, part.isPublic);
  const edits = spots.map((spot) => [spot.start, spot.end, file.names.get(spot.to)]);
  const word = statement.modifiers?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (word !== undefined) edits.push([word.getStart(), word.end + 1, isExported ? "export " : ""]);
  else if (isExported) edits.push([statement.getStart(), statement.getStart(), "export "]);
  let text = source.text.slice(start, statement.end);
  for (const [from, to, by] of edits.sort((a, b) => b[0] - a[0])) {
    text = text.slice(0, from - start) + by + text.slice(to - start);
  }
  // A tab for each level: the package is a tenth of its declarations' size smaller for it.
  return text.replace(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
}

function removeDeclarations(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".d.ts")) rmSync(join(folder, name));
  }
}
