import { sep } from "node:path";
import type { SessionKey } from "../options/index.js";

/** The key of a transcript by its path; undefined for a path that is none below `projectsDir`. */
export function mirrorKey(projectsDir: string, filePath: string): SessionKey | undefined {
  const [projectKey, session, ...rest] = partsBelow(projectsDir, filePath);
  if (!projectKey || !session) return undefined;
  if (rest.length === 0) {
    const sessionId = session.endsWith(ENDING) ? session.slice(0, -ENDING.length) : "";
    return sessionId === "" ? undefined : { projectKey, sessionId };
  }
  const subpath = rest.join("/").replace(/(?:\.meta\.json|\.jsonl)$/, "");
  return { projectKey, sessionId: session, subpath };
}

const ENDING = ".jsonl";

function partsBelow(projectsDir: string, filePath: string): string[] {
  const root = projectsDir.endsWith(sep) ? projectsDir : projectsDir + sep;
  if (filePath.startsWith(root)) return filePath.slice(root.length).split(sep);
  // The CLI may know the same folder by another name: it resolves links.
  const parts = filePath.split(sep);
  const at = parts.lastIndexOf("projects");
  return at < 0 ? [] : parts.slice(at + 1);
}
