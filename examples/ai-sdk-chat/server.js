// A chat with the CLI's agent in the browser. Its tools are shown, and it asks on the page before it
// changes anything. Shows `hawser.agent()` with `useChat()`.
//
//   npm install hawser @hawser/ai-sdk ai @ai-sdk/react react react-dom rolldown
//   node examples/ai-sdk-chat/server.js [folder that the agent works in]
//
// The page is page.jsx, which rolldown bundles when the server starts. Your framework does this for you.
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createHawser } from "@hawser/ai-sdk";
import {
  convertToModelMessages,
  pipeUIMessageStreamToResponse,
  streamText,
  toUIMessageStream,
} from "ai";
import { rolldown } from "rolldown";

const hawser = createHawser();
const model = hawser.agent("sonnet", {
  cwd: process.argv[2] ?? process.cwd(),
  // Everything else is asked about on the page.
  allowedTools: ["Read", "Grep", "Glob"],
});
const script = await bundle("page.jsx");

const server = createServer(async (request, response) => {
  // A request that is no chat must not end the server.
  if (request.method === "POST") return chat(request, response).catch(() => response.destroy());
  if (request.url === "/page.js") {
    return response.setHeader("content-type", "text/javascript").end(script);
  }
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.end(`<!doctype html><title>Chat</title><main></main><script src="/page.js"></script>`);
});

/**
 * Each request has the whole conversation. If it ends with the answer to an approval request, the turn
 * that waits for it goes on. If that turn is gone, the conversation is sent to a new process.
 *
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function chat(request, response) {
  // If the page is left while the answer streams, the turn ends. A turn that waits is not affected.
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { messages } = /** @type {{ messages: import("ai").UIMessage[] }} */ (await json(request));
  const result = streamText({
    model,
    messages: await convertToModelMessages(messages),
    abortSignal: gone.signal,
  });
  const stream = toUIMessageStream({
    stream: result.stream,
    originalMessages: messages,
    onError: (error) => (error instanceof Error ? error.message : "The request failed."),
  });
  await pipeUIMessageStreamToResponse({ response, stream });
}

/** @param {string} file */
async function bundle(file) {
  const input = fileURLToPath(new URL(file, import.meta.url));
  const build = await rolldown({
    input,
    platform: "browser",
    logLevel: "silent",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await build.generate({ format: "iife", minify: true });
  return output[0].code;
}

server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${port}`);
});

process.once("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await hawser.close();
});
