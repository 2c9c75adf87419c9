/** One block of server-sent events. A sign of life can have an id and no data. */
export interface SseMessage {
  readonly id?: string | undefined;
  readonly data?: string | undefined;
}

/**
 * Reads server-sent events as they arrive. It ends with the body, and throws if the body breaks, or if one event is
 * larger than `mostChars`.
 */
export async function* readSse(
  body: ReadableStream<Uint8Array>,
  mostChars: number = MOST_CHARS,
): AsyncGenerator<SseMessage, void> {
  const decoder = new TextDecoder();
  const blockEnd = /\r?\n\r?\n/g;
  let text = "";
  for await (const bytes of body) {
    // The end of a block can arrive in two pieces.
    blockEnd.lastIndex = Math.max(text.length - 3, 0);
    text += decoder.decode(bytes, { stream: true });
    let begin = 0;
    for (let end = blockEnd.exec(text); end !== null; end = blockEnd.exec(text)) {
      const message = messageIn(text.slice(begin, end.index));
      begin = blockEnd.lastIndex;
      if (message !== undefined) yield message;
    }
    text = text.slice(begin);
    if (text.length > mostChars) throw new Error("The source has sent an event that is too large.");
  }
}

/** A snapshot of a program with many sessions is the largest event. */
const MOST_CHARS = 64 * 2 ** 20;

function messageIn(block: string): SseMessage | undefined {
  let id: string | undefined;
  let data: string | undefined;
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === "id") id = value;
    if (name === "data") data = data === undefined ? value : `${data}\n${value}`;
  }
  return id === undefined && data === undefined ? undefined : { id, data };
}
