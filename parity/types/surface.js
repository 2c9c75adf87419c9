// The exports of a module, as the compiler sees them.
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
  typeRoots: [`${ROOT}node_modules/@types`],
  // The official declarations would not pass the check. Ours are compiled from source, so they are checked.
  skipLibCheck: true,
  noEmit: true,
};

/** A program over files, some of which exist only here; `exact` as some projects have it. */
export function programOf(virtual, files, exact) {
  const options = { ...STRICT, exactOptionalPropertyTypes: exact };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (name) => virtual.has(name) || fileExists(name);
  host.readFile = (name) => virtual.get(name) ?? readFile(name);
  return ts.createProgram([...virtual.keys(), ...files], options, host);
}

/** The exports of the modules that an entry re-exports with `export * as name from`. */
export function namespaces(program, entry) {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry));
  return Object.fromEntries(
    checker.getExportsOfModule(module).map((namespace) => {
      const exported = checker.getExportsOfModule(checker.getAliasedSymbol(namespace));
      return [namespace.name, new Map(exported.map((symbol) => [symbol.name, real(symbol)]))];
    }),
  );

  function real(symbol) {
    return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  }
}

export const isType = (symbol) => (symbol.flags & ts.SymbolFlags.Type) !== 0;
export const isValue = (symbol) => (symbol.flags & ts.SymbolFlags.Value) !== 0;
export const isAny = (type) => (type.flags & ts.TypeFlags.Any) !== 0;
export const isGeneric = ({ declarations = [] }) =>
  declarations.some(({ typeParameters = [] }) => typeParameters.length > 0);

/** Errors of the compiler in one file, as lines of text. */
export function errorsIn(program, file) {
  return ts
    .getPreEmitDiagnostics(program)
    .filter((diagnostic) => diagnostic.file?.fileName === file)
    .map(({ file: source, start = 0, messageText }) => {
      if (source === undefined) return ts.flattenDiagnosticMessageText(messageText, "\n");
      const { line } = source.getLineAndCharacterOfPosition(start);
      return `${source.fileName}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
}
