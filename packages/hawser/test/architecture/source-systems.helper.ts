import { readFileSync } from "node:fs";
import { REPOSITORY } from "../support/folders.js";

/** docs/source-systems.md, which names a test for every behaviour of the earlier systems. */
export const PAGE: string = readFileSync(`${REPOSITORY}docs/source-systems.md`, "utf8");

export interface TestReference {
  /** Relative to the package: `test/process/user.test.ts`. */
  readonly file: string;
  /** Words of the full title, which joins the titles of the blocks and of the test with " > ". */
  readonly words: string;
}

export const REFERENCES: readonly TestReference[] = [
  ...PAGE.matchAll(/`(test\/[^`]+\.ts)` "((?:[^"\\]|\\.)+)"/g),
].map((match) => ({
  file: match[1] ?? "",
  words: (match[2] ?? "").replace(/\\(.)/g, "$1"),
}));

export const FILES: readonly string[] = [...new Set(REFERENCES.map(({ file }) => file))];

/** Whether whole words of a title are meant: "cut" is no part of "execute". */
export function names(title: string, words: string): boolean {
  const literal = words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<!\\w)${literal}(?!\\w)`).test(title);
}
