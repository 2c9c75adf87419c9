import { request as httpRequest } from "node:http";
import type { SimulatedModel } from "../../src/testing/index.js";

export const HELLO = {
  model: "m",
  max_tokens: 100,
  messages: [{ role: "user", content: "hello" }],
};

export interface Said {
  readonly id: string;
  readonly content: readonly { readonly text?: string; readonly id?: string }[];
}

/** Sends HELLO with some fields replaced, or a text unchanged. */
export function post(
  model: SimulatedModel,
  body: object | string = {},
  path = "/v1/messages",
): Promise<Response> {
  return fetch(model.url + path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify({ ...HELLO, ...body }),
  });
}

export function stream(model: SimulatedModel): Promise<Response> {
  return post(model, { stream: true });
}

export async function said(model: SimulatedModel, body: object = {}): Promise<string | undefined> {
  return ((await (await post(model, body)).json()) as Said).content[0]?.text;
}

/** The events of a text/event-stream. */
export function events(sse: string): { type: string; delta?: { text?: string } }[] {
  return sse
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

/** Uses node:http, which returns the bytes that came before a connection broke. */
export function readAll(
  model: SimulatedModel,
  streamed: boolean,
  onData: (soFar: string) => void = () => {},
): Promise<{ received: string; error: unknown }> {
  return new Promise((resolve) => {
    const request = httpRequest(`${model.url}/v1/messages`, { method: "POST" }, (response) => {
      let received = "";
      response.on("data", (chunk: Buffer) => {
        received += chunk.toString("utf8");
        onData(received);
      });
      response.on("error", (error) => resolve({ received, error }));
      response.on("end", () => resolve({ received, error: undefined }));
    });
    request.end(JSON.stringify({ ...HELLO, stream: streamed }));
  });
}
