// Compares our exported names and types with the official SDK's. Exit 1 if a name is missing, a
// type is `any`, or a type differs in a way that wanted.js does not explain.
// An argument names a module to compare in place of src/index.ts.
import { resolve } from "node:path";
import * as official from "@anthropic-ai/claude-agent-sdk";
import {
  errorsIn,
  HERE,
  isAny,
  isGeneric,
  isType,
  isValue,
  namespaces,
  programOf,
} from "./surface.js";
import { ANOTHER_MEANING, OF_OUR_OWN, OURS_HAS_MORE, OURS_IS_WIDER } from "./wanted.js";

const ours = resolve(process.argv[2] ?? `${HERE}../../packages/hawser/src/index.ts`);
const entry = `${HERE}entry.ts`;
const text = `export * as theirs from "@anthropic-ai/claude-agent-sdk";
export * as ours from ${JSON.stringify(ours.replace(/\.ts$/, ".js"))};`;

let failures = 0;
for (const exact of [false, true]) {
  const assignments = `${HERE}assignments.ts`;
  const program = programOf(new Map([[entry, text]]), [assignments], exact);
  const label = exact ? "with exactOptionalPropertyTypes" : "strict";
  report(`${label}: assignments that do not compile`, errorsIn(program, assignments));
  compare(program, label);
}
process.exitCode = failures === 0 ? 0 : 1;

function compare(program, label) {
  const checker = program.getTypeChecker();
  const surface = namespaces(program, entry);
  const types = [...surface.theirs].filter(([, symbol]) => isType(symbol)).map(([name]) => name);
  report(
    `${label}: types that are missing`,
    types.filter((name) => !has(name, isType)),
  );
  report(
    `${label}: values that are missing`,
    Object.keys(official).filter((name) => !has(name, isValue)),
  );
  const differences = types
    .filter((name) => has(name, isType) && !(name in ANOTHER_MEANING))
    .flatMap(differenceOf);
  report(`${label}: types that differ`, differences);
  report(
    `${label}: values that do not fit the official declaration`,
    Object.keys(official).filter((name) => has(name, isValue) && !fits(name)),
  );
  console.log(`${label}: ${types.length} types, ${Object.keys(official).length} values compared\n`);

  function has(name, kind) {
    const symbol = surface.ours.get(name);
    return symbol !== undefined && kind(symbol);
  }

  /** The type of a constant is its value. A value that is not declared has no type to compare. */
  function fits(name) {
    const theirs = surface.theirs.get(name);
    if (theirs === undefined || name in OF_OUR_OWN) return true;
    const [mine, wanted] = [surface.ours.get(name), theirs].map(checker.getTypeOfSymbol);
    return checker.isTypeAssignableTo(mine, wanted);
  }

  function differenceOf(name) {
    const theirs = checker.getDeclaredTypeOfSymbol(surface.theirs.get(name));
    const mine = checker.getDeclaredTypeOfSymbol(surface.ours.get(name));
    if (isAny(mine)) return [`${name} is any`];
    if (isGeneric(surface.theirs.get(name))) return [];
    const found = [];
    if (!checker.isTypeAssignableTo(theirs, mine) && !(name in OURS_HAS_MORE))
      found.push(`${name}: the official type does not fit ours`);
    if (!checker.isTypeAssignableTo(mine, theirs) && !(name in OURS_IS_WIDER))
      found.push(`${name}: ours does not fit the official type`);
    return found;
  }
}

function report(title, lines) {
  failures += lines.length;
  if (lines.length > 0) console.log(`${title} (${lines.length}):\n  ${lines.join("\n  ")}\n`);
}
