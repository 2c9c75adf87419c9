import type { Context } from "hono";
import { parseJson } from "./read-body.js";

/** The JSON body of a request. Throws `invalid_request` with the position of a mistake. */
export async function readJson(c: Context): Promise<unknown> {
  return parseJson(await c.req.text());
}
