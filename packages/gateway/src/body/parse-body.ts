import type { z } from "zod";
import { RequestError } from "../errors/request-error.js";

/** Checks the body of a request. Throws `invalid_request` with the path of the first parameter that is wrong. */
export function parseBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const { path, message } = deepest(issue, []);
  const param = path === "" ? undefined : path;
  const text =
    param === undefined ? `The body is not valid. ${message}.` : `\`${param}\`: ${message}.`;
  throw new RequestError("invalid_request", text, { param });
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly errors?: readonly (readonly Issue[])[] | undefined;
}

/**
 * The message of a union only says that no variant fits. The variant that fits furthest into the value is the one
 * that the client meant.
 */
function deepest(
  issue: Issue | undefined,
  before: readonly PropertyKey[],
): { path: string; message: string } {
  const at = [...before, ...(issue?.path ?? [])];
  const variants = issue?.code === "invalid_union" ? (issue.errors ?? []) : [];
  const inner = variants.flat().filter(({ path }) => path.length > 0);
  const [best] = inner.toSorted((a, b) => b.path.length - a.path.length);
  if (best !== undefined) return deepest(best, at);
  const options = variants.flat().map(({ message }) => message);
  const message = options.length > 0 ? [...new Set(options)].join("; or: ") : issue?.message;
  return { path: pathText(at), message: message ?? "Invalid input" };
}

/** `messages[2].content` */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) =>
      typeof key === "number" ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`,
    )
    .join("");
}
