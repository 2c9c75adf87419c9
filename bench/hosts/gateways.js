// The HTTP servers that the bench compares. All of them answer `POST /v1/messages`. host.js runs them, as it
// runs the competitors; the client is in another process.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { DIST } from "../../tools/dist.js";
import { hawser, hawserOptions, officialOptions, settled, systemPrompt } from "./competitors.js";

/** What the client sends to every server. */
export const BODY = {
  model: "sonnet",
  max_tokens: 1000,
  system: systemPrompt(),
  messages: [{ role: "user", content: "Where is it?" }],
};

export const GATEWAYS = {
  gateway: {
    label: "hawser serve",
    /** @param {any} place */
    async open({ processes = 1, ...place }) {
      const { serve } = await import(gatewayModule());
      const { createPool } = await hawser();
      const { systemPrompt: _, ...options } = hawserOptions(place);
      const size = { min: processes, max: processes };
      await writeFile(`${place.cwd}/hawser.config.json`, JSON.stringify({ pool: { size } }));
      const server = await serve({
        ...{ cwd: place.cwd, port: 0, options, env: place.env, isSimulated: true },
        writeLog: () => {},
      });
      // A pool of its own for calls without HTTP, in the same program.
      const pool = createPool({ size: { min: 0, max: 1 } });
      const callOptions = { ...options, ...GATEWAY_OPTIONS };
      return {
        port: () => server.port,
        after: () => served(server.port),
        /** A call with the options that the gateway gives to its calls: the first event, and the end. */
        async direct() {
          const calledAt = performance.now();
          let firstMs;
          const call = pool.stream(undefined, callOptions);
          for await (const message of call) {
            if (message.type === "stream_event") firstMs ??= performance.now() - calledAt;
          }
          const { text } = await call.completion;
          return { firstMs, wholeMs: performance.now() - calledAt, text };
        },
        afterDirect: () => settled(pool, "recycled"),
        async close() {
          await server.close();
          await pool.close();
        },
      };
    },
  },

  httpQuery: {
    label: "official query() behind node:http",
    endsProcess: true,
    async open(place) {
      const { query } = await import("@anthropic-ai/claude-agent-sdk");
      return openBare((prompt) => query({ prompt, options: bareOptions(place) }));
    },
  },

  httpStartup: {
    label: "official startup() behind node:http",
    async open(place) {
      const { startup } = await import("@anthropic-ai/claude-agent-sdk");
      const start = () => startup({ options: bareOptions(place) });
      let warm = await start();
      const { close, ...bare } = await openBare((prompt) => warm.query(prompt));
      return {
        ...bare,
        async after() {
          warm = await start();
        },
        async close() {
          warm.close();
          await close();
        },
      };
    },
  },
};

/** The options that the gateway gives to its calls, copied from packages/hawser/src/answer/call-options.ts. */
const GATEWAY_OPTIONS = {
  model: BODY.model,
  bare: true,
  includePartialMessages: true,
  history: BODY.messages,
  systemPrompt: BODY.system,
  thinking: { type: "disabled" },
};

function gatewayModule() {
  return pathToFileURL(`${DIST}/../../gateway/dist/serve/index.js`).href;
}

function bareOptions(place) {
  return { ...officialOptions(place), model: BODY.model, includePartialMessages: true };
}

/** A handler as short as it can be: it checks nothing, and answers with what the SDK says. */
async function openBare(ask) {
  const server = createServer(async (request, response) => {
    const body = /** @type {any} */ (await json(request));
    const messages = ask(body.messages.at(-1).content);
    if (body.stream) await answerInEvents(messages, response);
    else await answerAtOnce(messages, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: () => /** @type {import("node:net").AddressInfo} */ (server.address()).port,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answerInEvents(messages, response) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for await (const { type, event } of messages) {
    if (type === "stream_event") {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    } else if (type === "result") response.end();
  }
}

async function answerAtOnce(messages, response) {
  let last;
  for await (const message of messages) {
    if (message.type === "assistant") last = message.message;
    if (message.type !== "result") continue;
    const { usage, stop_reason } = message;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...last, usage, stop_reason }));
  }
}

/** Resolves when the pool of the server has nothing to do, and a process that it can use again. */
async function served(port) {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    const text = await response.text();
    const count = (state) =>
      Number(
        new RegExp(`^hawser_pool_processes\\{[^}]*"${state}"[^}]*\\} (\\d+)`, "m").exec(text)?.[1],
      );
    const moving = ["starting", "serving", "resetting", "closing"].map(count);
    if (count("recycled") + count("initialized") > 0 && moving.every((each) => each === 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
