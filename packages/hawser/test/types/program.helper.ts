import ts from "typescript";
import { PACKAGE, REPOSITORY } from "../support/folders.js";

/** A program as a strict consumer compiles it, declarations of libraries checked too. */
export function programOf(files: readonly string[], exact: boolean): ts.Program {
  return ts.createProgram([...files], {
    strict: true,
    exactOptionalPropertyTypes: exact,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    typeRoots: [`${REPOSITORY}node_modules/@types`],
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    noEmit: true,
  });
}

/** What the compiler says, as lines that name the file and the line. */
export function errorsOf(program: ts.Program): string[] {
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, "\n");
    if (file === undefined || start === undefined) return text;
    const { line } = file.getLineAndCharacterOfPosition(start);
    return `${file.fileName.replace(PACKAGE, "")}:${line + 1}: ${text}`;
  });
}

/** The exported types of a module by name. */
export function exportedTypes(program: ts.Program, file: string): Map<string, ts.Type> {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) return new Map();
  const types = checker.getExportsOfModule(module).flatMap((exported): [string, ts.Type][] => {
    const alias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = alias ? checker.getAliasedSymbol(exported) : exported;
    if ((symbol.flags & ts.SymbolFlags.Type) === 0) return [];
    return [[exported.name, checker.getDeclaredTypeOfSymbol(symbol)]];
  });
  return new Map(types);
}

/** Where, inside a type, there is an `any`; it does not look into types of others. */
export function placesOfAny(program: ts.Program, name: string, type: ts.Type): string[] {
  const checker = program.getTypeChecker();
  const seen = new Set<ts.Type>();
  const found: string[] = [];
  visit(type, name);
  return found;

  function visit(each: ts.Type, path: string): void {
    if ((each.flags & ts.TypeFlags.Any) !== 0) found.push(path);
    if (seen.has(each)) return;
    seen.add(each);
    if (each.isUnionOrIntersection()) for (const part of each.types) visit(part, path);
    for (const argument of argumentsOf(each)) visit(argument, `${path}<>`);
    for (const info of checker.getIndexInfosOfType(each)) visit(info.type, `${path}[]`);
    for (const signature of each.getCallSignatures()) {
      visit(signature.getReturnType(), `${path}()`);
      for (const parameter of signature.parameters) {
        visit(checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`);
      }
    }
    for (const property of each.getProperties()) {
      if (isOurs(property)) visit(checker.getTypeOfSymbol(property), `${path}.${property.name}`);
    }
  }

  /** An `AsyncIterable` has an `any` of the compiler's own behind its first argument. */
  function argumentsOf(each: ts.Type): readonly ts.Type[] {
    const all = checker.getTypeArguments(each as ts.TypeReference);
    return each.symbol?.name === "AsyncIterable" ? all.slice(0, 1) : all;
  }
}

function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((each) => !each.getSourceFile().fileName.includes("/node_modules/"));
}
