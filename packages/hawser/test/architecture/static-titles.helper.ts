import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import ts from "typescript";
import { names } from "./source-systems.helper.js";

/**
 * The full titles in a test file and in the helpers that it imports (a helper may hold the tests of
 * several files), as far as their text shows them. A value that only a run knows (a row
 * of a table, an expression in a template) is `UNKNOWN`.
 */
export interface StaticTitles {
  readonly titles: readonly string[];
  /** The text of the file and of the helpers that it imports: where the values of its tables stand. */
  readonly source: string;
}

/** Stands in a title for a value that only a run knows. */
const UNKNOWN = "\0";

export function staticTitlesOf(file: string): StaticTitles {
  const titles: string[] = [];
  const texts = [file, ...helpersOf(file)].map((path) => {
    const text = readFileSync(path, "utf8");
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true), []);
    return text;
  });
  return { titles, source: texts.join("\n") };

  function visit(node: ts.Node, around: readonly string[]): void {
    const block = ts.isCallExpression(node) ? blockIn(node) : undefined;
    const path = block === undefined ? around : [...around, block.title];
    if (block?.isTest) titles.push(path.join(" > "));
    ts.forEachChild(node, (child) => visit(child, path));
  }
}

/** Whether a test of the file may have these words in its title. */
export function mayName({ titles, source }: StaticTitles, words: string): boolean {
  return titles.some((title) => {
    if (names(title, words)) return true;
    if (!title.includes(UNKNOWN)) return false;
    if (title.endsWith(`> ${UNKNOWN}`) && madeOf(source, words)) return true;
    return fits(title, words).some((values) => values.every((value) => mayBe(source, value)));
  });
}

/** Whether a row of a table may have this value, which `%j` shows as JSON. */
function mayBe(source: string, value: string): boolean {
  return names(source, value) || (/["{}]/.test(value) && madeOf(source, value));
}

/** Whether every word stands in the source: some tables join the titles of their rows from parts. */
function madeOf(source: string, words: string): boolean {
  return words.split(/[\s"=:{}[\],]+/).every((word) => source.includes(word));
}

/**
 * The ways in which words can be a part of a title, each as the values that the unknown parts of the
 * title would have.
 */
function fits(title: string, words: string): string[][] {
  const found: string[][] = [];
  const parts = title.split(UNKNOWN);
  for (let first = 0; first < parts.length; first++) {
    for (let last = first; last < parts.length; last++) {
      const between = parts.slice(first, last + 1);
      const [head = "", ...rest] = between;
      // The words begin inside the first part, or inside the value before it.
      const opening = first === 0 ? [] : [`(.*?)${literal(head)}`];
      const patterns = [...opening, ...suffixesOf(head).map(literal)].flatMap((start) =>
        rest.length === 0 ? [`${start}(.*)`, start] : endings(start, rest),
      );
      for (const pattern of patterns) {
        const match = new RegExp(`^${pattern}$`, "s").exec(words);
        if (match !== null) found.push(match.slice(1).map((value) => value.trim()));
      }
    }
  }
  return found;
}

/** The words end inside the last part, or inside the value after it. */
function endings(start: string, rest: readonly string[]): string[] {
  const middle = rest.slice(0, -1).map((part) => `(.*?)${literal(part)}`);
  const last = rest.at(-1) ?? "";
  const begun = `${start}${middle.join("")}`;
  return [...prefixesOf(last).map((part) => `${begun}(.*?)${literal(part)}`), `${begun}(.*)`];
}

function suffixesOf(part: string): string[] {
  return part.split(/(?<!\w)(?=\w)|(?<=\s)/).map((_, index, all) => all.slice(index).join(""));
}

function prefixesOf(part: string): string[] {
  const pieces = part.split(/(?<=\w)(?!\w)/);
  return pieces.map((_, index) => pieces.slice(0, index + 1).join(""));
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

interface Block {
  readonly title: string;
  readonly isTest: boolean;
}

const TESTS = new Set(["it", "test", "describe"]);

/** A call of `it()`, `describe.each()()` and the like, with its title. */
function blockIn(call: ts.CallExpression): Block | undefined {
  const [first] = call.arguments;
  const { name, isTable } = calleeOf(call.expression);
  if (first === undefined || !TESTS.has(name)) return undefined;
  const title = textOf(first);
  if (title === undefined) return undefined;
  return { title: isTable ? withoutValues(title) : title, isTest: name !== "describe" };
}

/** `it` for `it.concurrent.each(table)`; a table is called with its rows first, and has no title. */
function calleeOf(expression: ts.Expression): { name: string; isTable: boolean } {
  if (ts.isIdentifier(expression)) return { name: expression.text, isTable: false };
  if (ts.isCallExpression(expression)) return { ...calleeOf(expression.expression), isTable: true };
  if (ts.isPropertyAccessExpression(expression)) {
    if (expression.name.text === "each" && !ts.isCallExpression(expression.parent.parent)) {
      return { name: "", isTable: false };
    }
    return calleeOf(expression.expression);
  }
  return { name: "", isTable: false };
}

function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => UNKNOWN + span.literal.text).join("");
  }
  if (ts.isBinaryExpression(node)) return `${textOf(node.left)}${textOf(node.right)}`;
  return ts.isIdentifier(node) || ts.isCallExpression(node) ? UNKNOWN : undefined;
}

function withoutValues(title: string): string {
  return title.replace(/%[sdifjo#]|\$[\w.]+/g, UNKNOWN);
}

function helpersOf(file: string): string[] {
  const imports = readFileSync(file, "utf8").matchAll(/from "(\.[^"]+\.helper)\.js"/g);
  return [...imports].map(([, path = ""]) => resolve(dirname(file), `${path}.ts`));
}
