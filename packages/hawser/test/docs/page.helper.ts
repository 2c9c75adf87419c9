import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "../support/folders.js";

/** What people read to use the package: every code block of these is checked and run. */
export const GUIDES: readonly string[] = ["README.md", ...inDocs()];

/** These, and what people read who work on it. */
export const PAGES: readonly string[] = [
  ...GUIDES,
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
];

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** Of its first line of code, from 1. */
  readonly line: number;
  /** What stands behind the fence; `text` if nothing does. */
  readonly language: string;
  readonly code: string;
  /** What an HTML comment just before it says to the tests: `<!-- replies: ["Hi."] -->`. */
  readonly notes: ReadonlyMap<string, string>;
  /** The block of `text` just behind it: what it prints. */
  readonly prints: string | undefined;
}

export function readPage(page: string): string {
  return readFileSync(join(REPOSITORY, page), "utf8");
}

export function blocksOf(page: string, source: string = readPage(page)): Block[] {
  const found = [...source.matchAll(FENCED)].map((match) => {
    const { notes = "", language = "", code = "" } = match.groups ?? {};
    const before = source.slice(0, match.index + match[0].indexOf("```"));
    return {
      page,
      line: before.split("\n").length + 1,
      language: language === "" ? "text" : language,
      code,
      notes: notesIn(notes),
      prints: undefined,
      end: match.index + match[0].length,
      start: match.index,
    };
  });
  return found.map(({ end, start: _, ...block }, index) => {
    const next = found[index + 1];
    const isNext = next?.language === "text" && source.slice(end, next.start).trim() === "";
    return { ...block, prints: isNext ? next.code : undefined };
  });
}

export function at({ page, line }: { readonly page: string; readonly line: number }): string {
  return `${page}:${line}`;
}

/** The lines of a page, from 1, with those of its code blocks empty. */
export function prose(source: string): string[] {
  const blank = (text: string) => text.replace(/[^\n]/g, "");
  const plain = source.replace(FENCED, blank).replace(/<!--[\s\S]*?-->/g, blank);
  return ["", ...plain.split("\n")];
}

const FENCED =
  /(?<notes>(?:<!--(?:(?!-->)[\s\S])*-->\n+)*)^```(?<language>\S*)[^\n]*\n(?<code>[\s\S]*?)^```$/gm;

function notesIn(comments: string): Map<string, string> {
  const all = [...comments.matchAll(/<!--\s*(\w+)(?::([\s\S]*?))?\s*-->/g)];
  return new Map(all.map(([, name = "", value = ""]) => [name, value.trim()]));
}

function inDocs(): string[] {
  const names = readdirSync(join(REPOSITORY, "docs")).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => `docs/${name}`);
}
