import type { Context } from "hono";
import type { z } from "zod";
import { RequestError } from "../errors/request-error.js";
import { readJson } from "../http/read-json.js";

/** The body of a request, checked. Throws `invalid_request` with the path of what is wrong. */
export async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  const type = context.req.header("content-type") ?? "";
  // A form of another web page cannot send this type without a question of the browser to the server.
  if (!/^application\/json\b/i.test(type)) {
    throw new RequestError(
      "unsupported_media_type",
      "Send JSON: `content-type: application/json`.",
    );
  }
  return check(schema, await readJson(context), "body");
}

/** The query of a request, checked. */
export function readQuery<T>(context: Context, schema: z.ZodType<T>): T {
  return check(schema, context.req.query(), "query");
}

function check<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  if (issue === undefined) throw new RequestError("invalid_request", `The ${where} is wrong.`);
  const keys = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...keys].map(String).join(".");
  const message =
    keys.length > 0
      ? `${path} is not a parameter here. Options of a session come from the configuration of its agent.`
      : `${path === "" ? where : path}: ${issue.message}.`;
  throw new RequestError("invalid_request", message, { param: path === "" ? undefined : path });
}
