import ts from "typescript";
import { REPOSITORY } from "../support/folders.js";
import { type Mention, mentionsIn, NAMES } from "./mention.helper.js";
import { type Block, blocksOf, GUIDES, readPage } from "./page.helper.js";

/**
 * What the compiler says of the code and of the names on the pages, with page and line. Nothing is
 * written: the sources live beside the package, where `hawser` is the package itself.
 */
export function typeErrors(pages: readonly Source[] = guides()): string[] {
  const files = new Map(pages.flatMap(sourcesOf));
  const host = ts.createCompilerHost(OPTIONS);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, options, ...rest) => {
    const text = files.get(name);
    return text === undefined
      ? getSourceFile(name, options, ...rest)
      : ts.createSourceFile(name, text, options);
  };
  const program = ts.createProgram([...files.keys()], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(told);
}

export interface Source {
  readonly page: string;
  readonly text: string;
}

export function guides(): Source[] {
  return GUIDES.map((page) => ({ page, text: readPage(page) }));
}

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  allowJs: true,
  checkJs: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
  typeRoots: [`${REPOSITORY}node_modules/@types`],
};

function sourcesOf({ page, text }: Source): [string, string][] {
  const programs = blocksOf(page, text).filter(isProgram);
  return [
    ...programs.map((block): [string, string] => [
      `${REPOSITORY}${page}-${block.line}.m${block.language}`,
      `${"\n".repeat(block.line - 1)}${block.code}`,
    ]),
    [
      `${REPOSITORY}${page}-names.mts`,
      namesAsCode(NAMES_OF_OTHERS.has(page) ? [] : mentionsIn(text)),
    ],
  ];
}

/** The names on these pages are those of other systems, or of attributes such as `error.type`. */
const NAMES_OF_OTHERS = new Set(["docs/observability.md", "docs/source-systems.md"]);

export function isProgram({ language }: Block): boolean {
  return language === "js" || language === "ts";
}

/** A line of types for each line of the page: what does not exist is an error there. */
function namesAsCode(mentions: readonly Mention[]): string {
  const lines: string[] = [];
  for (const { line, code } of mentions) {
    while (lines.length < line) lines.push("");
    lines[line - 1] += code;
  }
  return `${lines.join("\n")}\n${NAMES}`;
}

function told({ file, start, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, "\n");
  if (file === undefined || start === undefined) return text;
  const { line } = file.getLineAndCharacterOfPosition(start);
  const page = file.fileName.replace(REPOSITORY, "").replace(/-(names|\d+)\.m[jt]s$/, "");
  return `${page}:${line + 1}: ${text}`;
}
