import type { Context } from "hono";
import { RequestError } from "../errors/request-error.js";

/** The body of a request. Throws `invalid_request` if it is not JSON. */
export async function readJson(c: Context): Promise<unknown> {
  const text = await c.req.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RequestError("invalid_request", "The body is not valid JSON.", { cause });
  }
}
