import type { Finding, Severity } from "./vote.js";

/** A finding, with the reviewers that have it. */
export interface JoinedFinding extends Finding {
  /** The names of the reviewers, in the order of the council. */
  readonly reviewers: readonly string[];
}

/**
 * Joins the findings of several reviewers about the same thing: the same file, line and category, or, without a
 * place, the same title. The joined finding has the title of the first reviewer, and the severity and the details of
 * the most severe one. The worst come first.
 */
export function joinFindings(
  votes: readonly { readonly reviewer: string; readonly findings: readonly Finding[] }[],
): JoinedFinding[] {
  const joined = new Map<string, JoinedFinding>();
  for (const { reviewer, findings } of votes) {
    for (const finding of findings) {
      const key = keyOf(finding);
      joined.set(key, join(joined.get(key), finding, reviewer));
    }
  }
  return [...joined.values()].sort((a, b) => RANK[a.severity] - RANK[b.severity]);
}

function join(
  before: JoinedFinding | undefined,
  finding: Finding,
  reviewer: string,
): JoinedFinding {
  if (before === undefined) return { ...finding, reviewers: [reviewer] };
  const isWorse = RANK[finding.severity] < RANK[before.severity];
  const [main, other] = isWorse ? [finding, before] : [before, finding];
  const { suggestion = other.suggestion } = main;
  return {
    ...before,
    severity: main.severity,
    detail: main.detail,
    ...(suggestion === undefined ? {} : { suggestion }),
    reviewers: [...new Set([...before.reviewers, reviewer])],
  };
}

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };

function keyOf({ file = "", line, category, title }: Finding): string {
  if (file === "" || line === undefined) return `title ${foldTitle(title)}`;
  return `place ${JSON.stringify([foldPath(file), line, foldCategory(category)])}`;
}

/** `./src\a.ts`, `b/src/a.ts` of a diff and `src/a.ts` are the same file. */
function foldPath(path: string): string {
  const parts: string[] = [];
  for (const part of path
    .replaceAll("\\", "/")
    .replace(/^[ab]\//, "")
    .split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** `Error_Handling` and `error handling` are the same category. A finding without one is of the category `other`. */
function foldCategory(category = ""): string {
  return foldTitle(category).replace(/[\s_-]+/g, "-") || "OTHER";
}

/** What a person would call the same title: without regard to case, width, space and punctuation at its ends. */
function foldTitle(title: string): string {
  return (
    title
      .replace(/\p{Cf}/gu, "")
      .normalize("NFKC")
      .replace(/[\s\p{Cc}]+/gu, " ")
      .replace(/^[\s\p{P}]+|[\s\p{P}]+$/gu, "")
      // Unlike lower case, upper case is one form for ß and ss, and for all forms of sigma.
      .toUpperCase()
  );
}
