// Conversations over HTTP: the interface between a channel, such as a chat service or a web page, and
// a fleet. Any number of these servers can share one database.
//
//   node fleet-http-chat.js [--offline]      then:
//   curl -N localhost:8080/users/ada/messages -H 'Idempotency-Key: 1' -d 'Hello!'
//
//   POST /users/USER/messages      sends a message; the progress as server-sent events
//   GET  /users/USER/messages      the stored messages; ?search=WORDS for those with the words
//   GET  /users/USER/usage         what the user has spent today
//   GET  /runs/ID/events           goes on with the progress after Last-Event-ID
//
// A server that sits in front of people must know who they are: this one believes the URL. On SIGTERM,
// running answers are given back to the database, and another server goes on with them.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { openFleet } from "@hawser/fleet";
import { ERROR_CODES, isHawserError } from "hawser";

const world = process.argv.includes("--offline")
  ? await (await import("hawser/testing")).offlineWorld()
  : undefined;
const database = process.env.DATABASE_URL ?? { folder: ".hawser/fleet" };
const fleet = await openFleet({ database });
const worker = await fleet.work({
  profiles: {
    default: { ...world?.options, systemPrompt: "You know all about knots. Be brief.", tools: [] },
  },
});

const server = createServer(async (request, response) => {
  try {
    await serve(request, response);
  } catch (error) {
    const isKnown = isHawserError(error);
    if (!isKnown) console.error(error);
    const code = isKnown ? error.code : "internal";
    const failure = { code, message: isKnown ? error.message : "The server failed." };
    if (response.headersSent) {
      tell(response, "failed", failure);
      response.end();
    } else {
      response.writeHead(isKnown ? ERROR_CODES[error.code].httpStatus : 500);
      response.end(JSON.stringify(failure));
    }
  }
});

/**
 * @param {import("node:http").IncomingMessage} request
 * @param {import("node:http").ServerResponse} response
 */
async function serve(request, response) {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, kind, name = "", what] = url.pathname.split("/").map(decodeURIComponent);
  const route = `${request.method} ${kind}/${what}`;
  if (route === "GET runs/events") {
    const after = Number(request.headers["last-event-id"] ?? 0);
    return follow(fleet.run(name), after, response);
  }
  if (kind !== "users" || name === "") return response.writeHead(404).end();
  const chat = fleet.conversation({ channel: "http", user: name });
  if (route === "POST users/messages") {
    const id = request.headers["idempotency-key"];
    const run = await chat.send(await text(request), typeof id === "string" ? { id } : {});
    return follow(run, 0, response);
  }
  if (route === "GET users/messages") {
    const words = url.searchParams.get("search");
    const messages = words === null ? await chat.history() : await chat.search(words);
    return response.end(JSON.stringify(messages));
  }
  if (route === "GET users/usage") return response.end(JSON.stringify(await chat.usage()));
  response.writeHead(404).end();
}

/**
 * Sends the events of a run until it is settled, and then its answer. A client that was cut off goes
 * on after the number of the last event it has.
 * @param {import("@hawser/fleet").Run} run
 * @param {number} after
 * @param {import("node:http").ServerResponse} response
 */
async function follow(run, after, response) {
  const left = new AbortController();
  response.once("close", () => left.abort());
  const { signal } = left;
  await run.info(); // A run that does not exist is answered before the stream begins.
  response.writeHead(200, { "content-type": "text/event-stream", "hawser-run": run.id });
  response.flushHeaders();
  try {
    for await (const { seq, type, ...event } of run.events({ after, signal })) {
      tell(response, type, event, seq);
    }
    const { text: answer, costUsd } = await run.result({ signal });
    tell(response, "answer", { text: answer, costUsd });
    response.end();
  } catch (error) {
    if (!signal.aborted) throw error; // Otherwise the client has left. The answer is written anyway.
  }
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string} type
 * @param {unknown} data
 * @param {number} [seq]
 */
function tell(response, type, data, seq) {
  const id = seq === undefined ? "" : `id: ${seq}\n`;
  response.write(`${id}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
}

server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${port}`);
});

process.once("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await worker.close();
  await fleet.close();
  await world?.dispose();
});
