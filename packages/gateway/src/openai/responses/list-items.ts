import { z } from "zod";
import { parseBody } from "../../body/parse-body.js";
import { RequestError } from "../../errors/request-error.js";
import type { ResponseItem } from "./response-item.js";

/** A page of `GET /v1/responses/:id/input_items`. */
export interface ItemList {
  readonly object: "list";
  readonly data: readonly unknown[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

const query = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(["asc", "desc"]).default("desc"),
  after: z.string().optional(),
});

/** The newest item comes first, unless `order` is `asc`. */
export function listItems(
  items: readonly ResponseItem[],
  parameters: Readonly<Record<string, string>>,
): ItemList {
  const { limit, order, after } = parseBody(query, parameters);
  const ordered = order === "asc" ? items : items.toReversed();
  const begin = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && begin === 0) {
    const text = `\`after\`: there is no item "${after}" in this response.`;
    throw new RequestError("invalid_request", text, { param: "after" });
  }
  const data = ordered.slice(begin, begin + limit).map(listed);
  return {
    object: "list",
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: begin + limit < ordered.length,
  };
}

/** Items have a status, and messages have a list of parts, also if the client sent a text. */
function listed(item: ResponseItem): ResponseItem & { readonly status: "completed" } {
  if (item.type !== "message" || typeof item.content !== "string") {
    return { ...item, status: "completed" };
  }
  const type = item.role === "assistant" ? "output_text" : "input_text";
  return { ...item, content: [{ type, text: item.content }], status: "completed" };
}
