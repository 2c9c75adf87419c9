import { RequestError } from "../../errors/request-error.js";
import { type ItemKind, itemId, responseIdOf } from "./response-ids.js";
import type { InputItem, ResponseItem } from "./response-item.js";
import type { ResponseStore } from "./response-store.js";
import type { ResponsesBody } from "./responses-body.js";

export interface ResponseInput {
  /** The items of the conversation that `previous_response_id` continues. */
  readonly earlier: readonly ResponseItem[];
  /** The items of this request. References are replaced by what they stand for, and each item has an id. */
  readonly input: readonly ResponseItem[];
}

/** The conversation of a request, with what is stored of it. */
export async function readInput(
  store: ResponseStore,
  tenant: string,
  responseId: string,
  { input = [], previous_response_id: previous }: ResponsesBody,
): Promise<ResponseInput> {
  const earlier =
    typeof previous === "string" && previous !== ""
      ? await conversationOf(store, tenant, previous)
      : [];
  const given: readonly InputItem[] =
    typeof input === "string" ? [{ type: "message", role: "user", content: input }] : (input ?? []);
  const items: ResponseItem[] = [];
  const referred = new Set<string>();
  for (const [i, item] of given.entries()) {
    if (item.type === "item_reference") {
      // Otherwise a small body could repeat a large item without end.
      if (referred.has(item.id)) throw repeated(item.id, `input[${i}]`);
      referred.add(item.id);
      items.push(await referenced(store, tenant, item.id, `input[${i}]`));
    } else items.push(withId(item, responseId, i));
  }
  return { earlier, input: items };
}

async function conversationOf(
  store: ResponseStore,
  tenant: string,
  id: string,
): Promise<readonly ResponseItem[]> {
  const stored = await store.get(tenant, id);
  if (stored !== undefined) return [...stored.earlier, ...stored.input, ...stored.output];
  const text = `\`previous_response_id\`: there is no response "${id}". It may have been deleted or not stored, or its time is over. Send the whole conversation in \`input\`.`;
  throw new RequestError("previous_response_not_found", text, { param: "previous_response_id" });
}

async function referenced(
  store: ResponseStore,
  tenant: string,
  id: string,
  path: string,
): Promise<ResponseItem> {
  const responseId = responseIdOf(id);
  const stored = responseId === undefined ? undefined : await store.get(tenant, responseId);
  const item = [...(stored?.input ?? []), ...(stored?.output ?? [])].find((one) => one.id === id);
  if (item !== undefined) return item;
  const text = `\`${path}\`: there is no item "${id}". Its response may have been deleted or not stored. Send the item itself.`;
  throw new RequestError("not_found", text, { param: path });
}

function repeated(id: string, path: string): RequestError {
  const text = `\`${path}\`: the item "${id}" is already in the input. Refer to each item once.`;
  return new RequestError("invalid_request", text, { param: path });
}

function withId(item: ResponseItem, responseId: string, place: number): ResponseItem {
  if (typeof item.id === "string" && item.id !== "") return item;
  return { ...item, id: itemId(KINDS[item.type], responseId, `i${place}`) };
}

const KINDS: Readonly<Record<ResponseItem["type"], ItemKind>> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  reasoning: "rs",
};
