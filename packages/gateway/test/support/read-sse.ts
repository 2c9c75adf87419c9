/** An event of a stream, as a client sees it. */
export interface ReadEvent {
  readonly event: string | undefined;
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads the server-sent events of a response. */
export async function* readSse(response: Response): AsyncGenerator<ReadEvent, undefined> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield parsed(part);
  }
}

/** The whole events in a text that may be cut off. Comments are no events. */
export function sseEvents(text: string): ReadEvent[] {
  const parts = text.split("\n\n").slice(0, -1);
  return parts.map(parsed).filter(({ data }) => data !== "");
}

function parsed(part: string): ReadEvent {
  const field = (name: string) =>
    part
      .split("\n")
      .filter((line) => line.startsWith(`${name}: `))
      .map((line) => line.slice(name.length + 2));
  return { event: field("event")[0], id: field("id")[0], data: field("data").join("\n") };
}
