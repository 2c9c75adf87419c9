// @ts-check
// Joins the declarations that the compiler has written, one file for each source file, into three:
// one for the root, one for hawser/testing, and one for the declarations that both need. Declarations
// that no export leads to are left out.
//
// Bundlers for declarations exist, and none of them fits this package (checked in November 2026):
// - rolldown-plugin-dts 0.28: `export *` loses its `type` (#95), and a chunk that two entries share
//   marks a value as a type (#295, sanity-io/sanity#14509).
// - rollup-plugin-dts: loses the `type` modifier in the same way (#354).
// - api-extractor: makes one file for each entry, so that the root and hawser/testing would both
//   declare classes with private fields, and such classes are not assignable to each other.
// Judge again when #95 and #295 of rolldown-plugin-dts are closed.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import ts from "typescript";

const SHARED = "shared/types";

/**
 * A declaration of top level, or an import from a package.
 * @typedef {object} Part
 * @property {string} name
 * @property {string} [module] The package that it is imported from.
 * @property {OutputFile} [file] Where it is written to.
 * @property {Piece[]} texts The statements that declare it.
 * @property {Part[]} references The parts that its statements name.
 * @property {Set<string>} globals The global names that its statements use.
 * @property {number} order
 * @property {boolean} isPublic
 */

/** @typedef {{ start: number, end: number, to: Part }} Spot A place where a statement names a part. */

/** @typedef {{ statement: ts.Node, source: ts.SourceFile, spots: Spot[] }} Piece */

/** @typedef {{ name: string, isValue: boolean, part: Part }} Export */

/** @typedef {{ entry: string, exported: Export[], reached: Set<Part> }} Surface */

/** @typedef {{ name: string, parts: Part[], names: Map<Part, string>, exported: Export[] }} OutputFile */

/**
 * `entries`: for each entry, such as "testing/index", the names that its code exports as values.
 * The files are read from `folder` and replaced there.
 *
 * @param {string} folder
 * @param {Readonly<Record<string, readonly string[]>>} entries
 * @returns {void}
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
    graph.surface(entry, /** @type {string} */ (roots[at]), new Set(values)),
  );
  const files = assignFiles(surfaces);
  const written = files.map((file) => ({ name: file.name, text: print(file) }));
  removeDeclarations(folder);
  for (const { name, text } of written) {
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
  /** @type {Map<ts.Symbol | string, Part>} */
  #parts = new Map();

  /**
   * @param {ts.Program} program
   * @param {string} folder
   */
  constructor(program, folder) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#folder = folder;
  }

  /**
   * The exports of an entry, and every declaration that they lead to.
   *
   * @param {string} entry
   * @param {string} path
   * @param {Set<string>} values
   * @returns {Surface}
   */
  surface(entry, path, values) {
    const source = this.#program.getSourceFile(path);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${path} is not a module`);
    /** @type {Export[]} */
    const exported = [];
    for (const symbol of this.#checker.getExportsOfModule(module)) {
      const target = this.#resolve(symbol);
      const isValue = values.delete(symbol.name);
      // `export type *` also names constants and functions; a caller could use them only in `typeof`.
      if (!isValue && (target.flags & ts.SymbolFlags.Type) === 0) continue;
      const part = this.#part(target);
      part.isPublic = true;
      exported.push({ name: symbol.name, isValue, part });
    }
    if (values.size > 0) throw new Error(`${entry}: no declaration of ${[...values].join(", ")}`);
    return { entry, exported, reached: reach(exported.map(({ part }) => part)) };
  }

  /**
   * @param {ts.Symbol} symbol
   * @returns {Part}
   */
  #part(symbol) {
    const known = this.#parts.get(symbol);
    if (known !== undefined) return known;
    const part = { ...nothing(), name: symbol.name };
    this.#parts.set(symbol, part);
    for (const statement of new Set((symbol.declarations ?? []).map(statementOf))) {
      const source = statement.getSourceFile();
      part.order = this.#program.getSourceFiles().indexOf(source) * 1e7 + statement.pos;
      part.texts.push({ statement, source, spots: this.#spots(statement, part) });
    }
    return part;
  }

  /**
   * The places where a statement names a part.
   *
   * @param {ts.Node} statement
   * @param {Part} part
   */
  #spots(statement, part) {
    /** @type {Spot[]} */
    const spots = [];
    /** @param {ts.Node} node */
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

  /**
   * The part that an identifier stands for; undefined if it is not declared at top level.
   *
   * @param {ts.Identifier} node
   * @param {Part} part
   * @returns {Part | undefined}
   */
  #reference(node, part) {
    const symbol = this.#checker.getSymbolAtLocation(node);
    if (symbol === undefined) return undefined;
    const bare = symbol.declarations?.map(importOf).find((module) => module !== undefined);
    if (bare !== undefined) return this.#imported(symbol, bare);
    const target = this.#resolve(symbol);
    const [declaration] = target.declarations ?? [];
    if (declaration === undefined) return undefined;
    if (!this.#isOurs(declaration)) {
      if (!("parent" in target) || target.parent === undefined) part.globals.add(target.name);
      return undefined;
    }
    if (ts.isSourceFile(declaration)) throw unknown(node, "namespace import");
    return isTopLevel(declaration) ? this.#part(target) : undefined;
  }

  /**
   * @param {ts.Symbol} symbol
   * @param {string} module
   */
  #imported(symbol, module) {
    const [specifier] = symbol.declarations ?? [];
    if (specifier === undefined || !ts.isImportSpecifier(specifier)) {
      throw new Error(`${module}: default or namespace import is not handled: ${symbol.name}`);
    }
    const name = (specifier.propertyName ?? specifier.name).text;
    const key = `${module} ${name}`;
    /** @type {Part} */
    const part = this.#parts.get(key) ?? { ...nothing(), name, module };
    this.#parts.set(key, part);
    return part;
  }

  /** @param {ts.Symbol} symbol */
  #resolve(symbol) {
    return (symbol.flags & ts.SymbolFlags.Alias) === 0
      ? symbol
      : this.#checker.getAliasedSymbol(symbol);
  }

  /** @param {ts.Node} declaration */
  #isOurs(declaration) {
    return declaration.getSourceFile().fileName.startsWith(posix.join(this.#folder, "/"));
  }
}

/**
 * The fields of a part before its statements are read.
 *
 * @returns {Omit<Part, "name">}
 */
function nothing() {
  return { texts: [], references: [], globals: new Set(), order: 0, isPublic: false };
}

/**
 * @param {ts.Node} declaration
 * @returns {ts.Node}
 */
function statementOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

/** @param {ts.Node} declaration */
function isTopLevel(declaration) {
  return ts.isSourceFile(statementOf(declaration).parent);
}

/**
 * The package that a declaration is imported from; undefined for files of this package.
 *
 * @param {ts.Node} declaration
 */
function importOf(declaration) {
  const from = ts.findAncestor(declaration, ts.isImportDeclaration)?.moduleSpecifier;
  if (from === undefined || !ts.isStringLiteral(from) || from.text.startsWith("."))
    return undefined;
  return from.text;
}

/**
 * @param {ts.Node} node
 * @param {string} what
 */
function unknown(node, what) {
  return new Error(`${node.getSourceFile().fileName}: ${what} is not handled: ${node.getText()}`);
}

/** @param {Part[]} parts */
function reach(parts) {
  /** @type {Set<Part>} */
  const seen = new Set();
  /** @param {Part} part */
  const visit = (part) => {
    if (seen.has(part)) return;
    seen.add(part);
    part.references.forEach(visit);
  };
  parts.forEach(visit);
  return seen;
}

/**
 * Decides which part goes to which file, and its name there.
 *
 * @param {Surface[]} surfaces
 */
function assignFiles(surfaces) {
  /** @type {Map<string, OutputFile>} */
  const files = new Map();
  /** @param {string} name */
  const fileOf = (name) => {
    const file = files.get(name) ?? { name, parts: [], names: new Map(), exported: [] };
    files.set(name, file);
    return file;
  };
  for (const { entry, exported } of surfaces) fileOf(entry).exported = exported;
  for (const part of new Set(surfaces.flatMap(({ reached }) => [...reached]))) {
    if (part.module !== undefined) continue;
    const [owner, ...others] = surfaces.filter(({ reached }) => reached.has(part));
    part.file = fileOf(owner === undefined || others.length > 0 ? SHARED : owner.entry);
    part.file.parts.push(part);
  }
  for (const file of files.values()) nameParts(file);
  const shared = files.get(SHARED);
  for (const part of shared?.parts ?? []) {
    shared?.exported.push({ name: nameIn(shared, part), isValue: true, part });
  }
  return [...files.values()];
}

/**
 * Gives every part of a file, and every import, a name of its own there.
 *
 * @param {OutputFile} file
 */
function nameParts(file) {
  file.parts.sort((a, b) => a.order - b.order);
  const taken = new Set(file.parts.flatMap(({ globals }) => [...globals]));
  const publicNames = new Map(file.exported.map(({ name, part }) => [part, name]));
  const needed = new Set([...file.parts, ...file.exported.map(({ part }) => part)]);
  for (const to of file.parts.flatMap(({ references }) => references)) needed.add(to);
  // Exports choose first, because an editor shows their names.
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

/**
 * @param {OutputFile} file
 * @param {Part} part
 */
function nameIn(file, part) {
  const name = file.names.get(part);
  if (name === undefined) throw new Error(`${part.name} has no name in ${file.name}`);
  return name;
}

/** @param {OutputFile} file */
function print(file) {
  /**
   * Declared in this file under the exported name: exported by the word `export`.
   * @type {Set<Part>}
   */
  const inPlace = new Set();
  /** @type {string[]} */
  const values = [];
  /** @type {string[]} */
  const types = [];
  for (const { name, isValue, part } of file.exported) {
    const local = nameIn(file, part);
    const isType = part.texts.every(({ statement }) => isTypeOnly(statement));
    if (part.file === file && local === name && (isValue || isType)) inPlace.add(part);
    else (isValue ? values : types).push(local === name ? name : `${local} as ${name}`);
  }
  const sections = [
    // Without it, a project whose tsconfig lists no types (the default of TypeScript 6) lacks Node's.
    '/// <reference types="node" />',
    imports(file),
    ...file.parts.map((part) => textOf(part, file, inPlace.has(part))),
    clause("export", values),
    // A clause, even an empty one, keeps declarations without the word `export` private.
    clause("export type", types) || "export {};",
  ];
  return `${sections.filter((section) => section !== "").join("\n")}\n`;
}

/** @param {ts.Node} statement */
function isTypeOnly(statement) {
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
}

/**
 * @param {string} keyword
 * @param {string[]} names
 */
function clause(keyword, names) {
  return names.length === 0 ? "" : `${keyword} { ${names.sort().join(", ")} };`;
}

/** @param {OutputFile} file */
function imports(file) {
  /** @type {Map<string, string[]>} */
  const from = new Map();
  for (const [part, local] of file.names) {
    if (part.file === file) continue;
    const module = part.module ?? relativeModule(file.name, part.file?.name ?? SHARED);
    const name = part.file?.names.get(part) ?? part.name;
    const imported = name === local ? name : `${name} as ${local}`;
    from.set(module, [...(from.get(module) ?? []), imported]);
  }
  const lines = [...from].map(
    ([module, names]) => `import { ${names.sort().join(", ")} } from "${module}";`,
  );
  return lines.sort().join("\n");
}

/**
 * @param {string} from
 * @param {string} to
 */
function relativeModule(from, to) {
  const path = posix.relative(posix.dirname(from), to);
  return `${path.startsWith(".") ? path : `./${path}`}.js`;
}

/**
 * @param {Part} part
 * @param {OutputFile} file
 * @param {boolean} isExported
 */
function textOf(part, file, isExported) {
  return part.texts.map((piece) => pieceOf(piece, part, file, isExported)).join("\n");
}

/**
 * @param {Piece} piece
 * @param {Part} part
 * @param {OutputFile} file
 * @param {boolean} isExported
 */
function pieceOf({ statement, source, spots }, part, file, isExported) {
  // Editors do not show the comment of a declaration that cannot be imported, so it is left out; they
  // do show the comments of its members.
  const start = statement.getStart(source, part.isPublic);
  const edits = spots.map((spot) => ({
    from: spot.start,
    to: spot.end,
    by: nameIn(file, spot.to),
  }));
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  const word = modifiers?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  const at = statement.getStart();
  if (word !== undefined) {
    edits.push({ from: word.getStart(), to: word.end + 1, by: isExported ? "export " : "" });
  } else if (isExported) edits.push({ from: at, to: at, by: "export " });
  let text = source.text.slice(start, statement.end);
  for (const { from, to, by } of edits.sort((a, b) => b.from - a.from)) {
    text = text.slice(0, from - start) + by + text.slice(to - start);
  }
  // Tabs make the declarations a tenth smaller than four spaces for each level.
  return text.replace(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
}

/** @param {string} folder */
function removeDeclarations(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".d.ts")) rmSync(join(folder, name));
  }
}
