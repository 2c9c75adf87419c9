import ts from "typescript";
import { PACKAGE, REPOSITORY } from "../support/folders.js";

/** A program as a strict consumer compiles it, with the declarations of libraries checked. */
export function programOf(files: readonly string[], exact: boolean): ts.Program {
  const options: ts.CompilerOptions = {
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
  };
  return ts.createProgram([...files], options, hostOf(options));
}

/** A host that parses each file once for all programs, whose options do not change the parsing. */
function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    const source = parsed.get(file) ?? read(file, ...rest);
    if (source !== undefined) parsed.set(file, source);
    return source;
  };
  return host;
}

const parsed = new Map<string, ts.SourceFile>();

/** The errors of the compiler in these files, or in all files, with their file and line. */
export function errorsOf(program: ts.Program, files?: readonly string[]): string[] {
  const found =
    files?.flatMap((file) => ts.getPreEmitDiagnostics(program, program.getSourceFile(file))) ??
    ts.getPreEmitDiagnostics(program);
  return found.map(({ file, start, messageText }) => {
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

/** The paths inside a type that lead to an `any`. Types of other packages are left out. */
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

  /** The arguments of an `AsyncIterable` after the first are an `any` of the compiler itself. */
  function argumentsOf(each: ts.Type): readonly ts.Type[] {
    const all = checker.getTypeArguments(each as ts.TypeReference);
    return each.symbol?.name === "AsyncIterable" ? all.slice(0, 1) : all;
  }
}

function isOurs({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some((each) => !each.getSourceFile().fileName.includes("/node_modules/"));
}
