// Answers prompts over HTTP with a pool of warm processes, and streams the text. Shows
// `createPool()`.
//
//   node examples/http-server.js
//   curl -N -d "Tell me of the bowline." localhost:8080     prints an answer
//   curl localhost:8080                                     prints the statistics of the pool
//
// If a client disconnects, its call is cancelled. On SIGTERM, running calls are finished first.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { createPool, ERROR_CODES, isHawserError } from "hawser";

const options = { systemPrompt: "You know all about knots. Be brief." };
const pool = createPool({ size: { max: 4 }, queueLimit: 100, warm: [options] });

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.end(`${JSON.stringify(pool.stats(), null, 2)}\n`);
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const call = pool.stream(await text(request), { ...options, signal: gone.signal });
    for await (const piece of call.textStream) response.write(piece);
    response.end();
  } catch (error) {
    // After part of an answer was sent, only a broken connection can show the failure.
    if (response.headersSent) return response.destroy();
    const { httpStatus } = isHawserError(error) ? ERROR_CODES[error.code] : { httpStatus: 500 };
    response.writeHead(httpStatus).end(`${error instanceof Error ? error.message : error}\n`);
  }
});

server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${port}`);
});

process.once("SIGTERM", async () => {
  server.close();
  await pool.drain();
  server.closeIdleConnections();
});
