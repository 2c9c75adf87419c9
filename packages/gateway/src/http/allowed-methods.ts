import type { Hono } from "hono";
import type { Env } from "./exchange.js";

/** The methods that a path has in an application; none if the path does not exist. */
export function allowedMethods(app: Hono<Env>, path: string): string[] {
  const methods = app.routes
    .filter(({ method, path: pattern }) => method !== "ALL" && matches(pattern, path))
    .map(({ method }) => method);
  return [...new Set(methods)].sort();
}

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return false;
  return wanted.every((part, index) =>
    part.startsWith(":") ? given[index] !== "" : part === given[index],
  );
}
