// Many clients for the HTTP example: node load.js <url> <requests> <at once>. Some clients leave after
// the first piece of their answer, some directly after the request. Prints the outcome of each client
// as JSON.
import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

const [url, count, atOnce] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(atOnce) });
const told = [];
let next = 0;

async function client() {
  while (next < Number(count)) {
    next += 1;
    const number = next;
    const leaves = { 5: "at the first piece", 11: "at once" }[number % 12];
    told.push(await ask(number, leaves));
  }
}

function ask(number, leaves) {
  const prompt = leaves ? `Never finish ${number}.` : `Say word-${number}.`;
  return new Promise((resolve) => {
    const outgoing = request(url, { method: "POST", agent });
    const leave = (seen = "") => {
      outgoing.destroy();
      resolve({ number, leaves, seen });
    };
    outgoing.on("error", (/** @type {NodeJS.ErrnoException} */ error) =>
      resolve({ number, leaves, error: error.code }),
    );
    outgoing.on("response", async (incoming) => {
      let text = "";
      try {
        for await (const piece of incoming.setEncoding("utf8")) {
          text += piece;
          if (leaves) return leave(text);
        }
        resolve({ number, leaves, status: incoming.statusCode, text });
      } catch (error) {
        resolve({ number, leaves, text, error: error.code });
      }
    });
    if (leaves === "at once") outgoing.on("finish", () => wait(0).then(() => leave()));
    outgoing.end(prompt);
  });
}

await Promise.all(Array.from({ length: Number(atOnce) }, client));
agent.destroy();
console.log(JSON.stringify(told));
