import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import type { AnyCompleteOptions } from "../../src/complete/index.js";
import {
  type CallOption,
  OPTION_NAMES,
  type OptionName,
  type SessionOption,
} from "../../src/options/index.js";
import type { SessionOptions } from "../../src/session/index.js";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** Three names may be a coincidence of two options and a common word; a list has more. */
const FEWEST = 3;

/** Declarations that hold option names and say nothing about options that the table could say. */
const MAY_NAME_OPTIONS: Readonly<Record<string, string>> = {
  "options/table/option-table.ts: OPTION_TABLE": "the table itself",
  "options/table/option-row.ts: GeneralOption":
    "a type cannot be read from the table; the table does not compile without it",
  "options/table/option-row.ts: CallOption": "a type that the table does not compile without",
  "session/open-session.ts: SessionOptions": "a public type; the compiler compares it below",
  "complete/complete.ts: CompleteOptions": "a public type; the compiler compares it below",
  "options/invocation/default-options.ts: DEFAULTS": "values of options, not facts about them",
  "options/invocation/default-options.ts: Defaulted": "the names of these values",
  "options/validate/validate-options.ts: OTHER_NAMES": "names in other libraries",
  "options/validate/settings-reading.ts: TYPES": "keys of the CLI's settings file",
  "transcripts/store/link-configuration.ts: LINKED": "files in the CLI's configuration folder",
  "bin/command/call-flags.ts: CALL_FLAGS": "flags of the command",
  "bin/command/call-flags.ts: FLAG_OF": "the flag of the command that sets an option",
  "bin/command/call-flags.ts: CallOptions": "the type of what a function returns",
  "bin/council.ts: FLAGS": "flags of the command",
  "bin/council/read-reviewers.ts: KEYS": "keys of a file",
  "bin/submit.ts: FLAGS": "flags of the command",
  "bin/fleet/fleet-module.ts: SubmitOptions": "the type of another package's function",
  "council/check-options.ts: OPTIONS": "keys of the options of a council",
  "council/check-options.ts: REVIEWER": "keys of a reviewer",
  "council/reviewer.ts: ReviewerOptions": "options that the council sets, left out of a type",
  "providers/magi/claude-cli-provider.ts: SET_BY_PROVIDER":
    "keys that the contract has as arguments",
  "providers/omega/claude-code-options.ts: DEFAULTS": "the contract's own defaults",
  "providers/omega/claude-code-options.ts: OPTION_KINDS": "keys of the contract",
  "providers/omega/claude-code-options.ts: PassedOptions":
    "keys of the contract, left out of a type",
  "providers/omega/claude-code-options.ts: HINTS": "keys that callers mistake for the contract's",
  "providers/omega/context.ts: CONTEXT_KEYS": "keys of the contract",
  "providers/omega/context.ts: OTHER_NAMES": "other names of the contract's keys",
  "providers/omega/tool-options.ts: toolOptions": "the type of what a function returns",
  "testing/isolated-env.ts: OPTIONS": "keys of the options of a fake environment",
};

interface Found {
  readonly file: string;
  /** The top-level declaration that holds the list. */
  readonly declaration: string;
  readonly names: readonly string[];
}

const options = new Set<string>(OPTION_NAMES);

/** The option names in a list, a map, a union of literals, or the keys of an object. */
function namesIn(node: ts.Node): readonly string[] {
  if (ts.isArrayLiteralExpression(node)) {
    const items = node.elements.flatMap((item) =>
      ts.isArrayLiteralExpression(item) ? [...item.elements] : [item],
    );
    return items.flatMap((item) => (ts.isStringLiteral(item) ? [item.text] : []));
  }
  if (ts.isUnionTypeNode(node)) {
    return node.types.flatMap((type) =>
      ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal) ? [type.literal.text] : [],
    );
  }
  // An object inside a function is made of values that somebody gave.
  if (ts.isObjectLiteralExpression(node) && isConstant(node)) {
    return node.properties.flatMap((property) =>
      property.name !== undefined && ts.isIdentifier(property.name) ? [property.name.text] : [],
    );
  }
  return [];
}

/** Whether an object is made once, and is not itself a set of options. */
function isConstant(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return false;
  if (ts.isVariableDeclaration(node) && node.type?.getText() === "Options") return false;
  return node.parent === undefined || isConstant(node.parent);
}

function declarationOf(node: ts.Node): string {
  let top = node;
  while (!ts.isSourceFile(top.parent)) top = top.parent;
  if (ts.isVariableStatement(top)) return top.declarationList.declarations[0]?.name.getText() ?? "";
  return (top as Partial<ts.DeclarationStatement>).name?.getText() ?? "";
}

function listsIn(file: string): readonly Found[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    const paths = namesIn(node).map((name) => name.split(".", 1)[0] ?? "");
    const names = [...new Set(paths.filter((name) => options.has(name)))];
    if (names.length >= FEWEST) found.push({ file, declaration: declarationOf(node), names });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const lists = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.split(sep).join("/"))
  .flatMap(listsIn);

function placeOf({ file, declaration }: Found): string {
  return `${file}: ${declaration}`;
}

type Same<A, B> = [A, B] extends [B, A] ? true : false;

describe("the table of options", () => {
  it("agrees with the types that leave options out", () => {
    const session: Same<Exclude<OptionName, keyof SessionOptions>, CallOption> = true;
    const call: Same<Exclude<OptionName, keyof AnyCompleteOptions>, SessionOption> = true;
    expect([session, call]).toEqual([true, true]);
  });

  it("is the only list of option names", () => {
    const others = lists.filter((found) => !Object.hasOwn(MAY_NAME_OPTIONS, placeOf(found)));
    expect(others).toEqual([]);
  });

  it("has no unnecessary exception", () => {
    const found = new Set(lists.map(placeOf));
    expect(Object.keys(MAY_NAME_OPTIONS).filter((name) => !found.has(name))).toEqual([]);
  });
});
