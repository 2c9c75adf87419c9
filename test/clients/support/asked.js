// What a client's request became at the model.

/**
 * The blocks of the messages of a role in a request, without the blocks and messages that the CLI adds.
 * @param {import("hawser/testing").RecordedRequest} call
 * @param {"user" | "assistant"} role
 */
export function blocksAsked(call, role) {
  return messagesAsked(call)
    .filter((message) => message.role === role)
    .flatMap(({ content }) => content);
}

/**
 * The conversation of a request, without the blocks and messages that the CLI adds.
 * @param {import("hawser/testing").RecordedRequest} call
 */
export function messagesAsked(call) {
  const { messages } = /** @type {{ messages: { role: string, content: unknown }[] }} */ (
    call.body
  );
  return messages
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => {
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      const own = /** @type {Record<string, any>[]} */ (blocks).filter(isOwn).map(withoutCacheMark);
      return { role, content: own };
    })
    .filter(({ content }) => content.length > 0);
}

/** The tools of a request: names, descriptions and schemas. */
export function toolsAsked(call) {
  return /** @type {{ tools?: Record<string, any>[] }} */ (call.body).tools ?? [];
}

function isOwn({ type, text }) {
  return type !== "text" || !/^\s*<(?:system-reminder|local-command-\w+|command-name)>/.test(text);
}

function withoutCacheMark({ cache_control: _, ...block }) {
  return block;
}
