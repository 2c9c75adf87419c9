import ts from "typescript";

const SRC = "/src/";

/** What an entry of the package exports, and what its declarations name besides. */
export interface Surface {
  /** The names of exports that are also values: classes, functions, constants. */
  readonly values: readonly string[];
  /** What a file of ours exports, a public declaration names, and nobody can import: `file: name`. */
  readonly unnamed: readonly string[];
}

/**
 * Types that their own file keeps to itself are not counted: they are parts of a declaration with a
 * name, not names. Types that one of the `others` exports can be imported from there.
 */
export function surfaceOf(
  program: ts.Program,
  root: string,
  ...others: readonly string[]
): Surface {
  const checker = program.getTypeChecker();
  const exported = exportsOf(root);
  const known = new Set([exported, ...others.map(exportsOf)].flat().map(({ symbol }) => symbol));
  const unnamed = new Set<string>();
  for (const { symbol } of exported) symbol.declarations?.forEach(visit);
  const values = exported.filter(({ symbol }) => (symbol.flags & ts.SymbolFlags.Value) !== 0);
  return { values: values.map(({ name }) => name).sort(), unnamed: [...unnamed].sort() };

  function exportsOf(file: string): { name: string; symbol: ts.Symbol }[] {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is no module`);
    const all = checker.getExportsOfModule(module);
    return all.map((each) => ({ name: each.name, symbol: target(each) }));
  }

  function target(symbol: ts.Symbol): ts.Symbol {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return isAlias ? checker.getAliasedSymbol(symbol) : symbol;
  }

  function visit(node: ts.Node): void {
    if (isHidden(node)) return;
    const name = nameOf(node);
    const symbol = name === undefined ? undefined : checker.getSymbolAtLocation(name);
    if (symbol !== undefined) note(target(symbol));
    // A value that comes with a type is declared by that alone.
    if ("initializer" in node && "type" in node && node.type !== undefined) {
      visit(node.type as ts.Node);
    } else ts.forEachChild(node, visit);
  }

  function note(symbol: ts.Symbol): void {
    if (known.has(symbol)) return;
    const ours = symbol.declarations?.find((each) => {
      return each.getSourceFile().fileName.includes(SRC) && isExported(each);
    });
    const file = ours?.getSourceFile().fileName;
    if (file !== undefined) unnamed.add(`${file.slice(file.lastIndexOf(SRC) + 1)}: ${symbol.name}`);
  }
}

/** What a consumer's compiler does not see. */
function isHidden(node: ts.Node): boolean {
  if (ts.isBlock(node)) return true;
  if (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)) {
    return true;
  }
  return hasModifier(node, ts.SyntaxKind.PrivateKeyword);
}

function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  if (ts.isExpressionWithTypeArguments(node)) return node.expression;
  return ts.isTypeQueryNode(node) ? node.exprName : undefined;
}

function isExported(node: ts.Node): boolean {
  return hasModifier(node, ts.SyntaxKind.ExportKeyword);
}

function hasModifier(node: ts.Node, kind: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(node) && (node.modifiers ?? []).some((each) => each.kind === kind);
}
