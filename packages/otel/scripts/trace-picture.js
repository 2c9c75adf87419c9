// Draws docs/observability.svg: the spans of one turn of a session, as an exporter got them. The real CLI runs, with
// a simulated model whose replies take a while, so that the bars can be seen:
// `npm run -s build && node packages/otel/scripts/trace-picture.js`.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { instrument } from "@hawser/otel";
import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { createSdkMcpServer, openSession, tool } from "hawser";
import { reply, toolUse } from "hawser/testing";
import { openPlace } from "../../../tools/place.js";

const WIDTH = 900;
const NAMES = 330;
const ROW = 24;
const TOP = 84;

/** Plain rules without variables, because programs other than browsers draw the SVG, too. */
const STYLE = `
text { font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
.title { font-size: 16px; font-weight: 600; }
.soft { font-size: 12px; }
.mark { font-size: 11px; }
${colours("#ffffff", "#1f2328", "#59636e", "#d9dee3", ["#0b62d6", "#7a3fc9", "#c2560c", "#8a939d"])}
@media (prefers-color-scheme: dark) {
${colours("#0d1117", "#f0f6fc", "#9ba6b2", "#30363d", ["#58a6ff", "#b48cf2", "#f0883e", "#6e7781"])}
}
`;

function colours(paper, ink, soft, grid, [agent, chat, execution, user]) {
  return `.paper { fill: ${paper}; } .grid { stroke: ${grid}; } text { fill: ${ink}; } .soft { fill: ${soft}; }
.invoke_agent { fill: ${agent}; } .chat { fill: ${chat}; } .execute_tool { fill: ${execution}; } .user { fill: ${user}; }`;
}

const PICTURE = fileURLToPath(new URL("../../../docs/observability.svg", import.meta.url));

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(exporter)],
});
const tracer = tracerProvider.getTracer("shop");
const stop = instrument({ tracerProvider });
const place = await openPlace();
try {
  await answerCustomer();
} finally {
  stop();
  await place.close();
}
writeFileSync(PICTURE, pictureOf(exporter.getFinishedSpans()));

/** A span of the user, a tool of the user with a span inside, a sub-agent, and a tool that waits for a permission. */
async function answerCustomer() {
  const slow = { delayMs: 250, chunks: 6, chunkDelayMs: 30 };
  const subagent = {
    description: "check the stock",
    prompt: "How much rope is there?",
    subagent_type: "general-purpose",
    run_in_background: false,
  };
  place.model.add(
    reply([toolUse("mcp__shop__find_order", { number: 7 })], slow),
    reply([toolUse("Agent", subagent)], slow),
    reply([toolUse("mcp__shop__stock", { item: "rope" })], slow),
    reply("There are 40 m.", slow),
    reply([toolUse("Bash", { command: "touch shipped" })], slow),
    reply("It is on its way.", slow),
  );
  const shop = createSdkMcpServer({
    name: "shop",
    alwaysLoad: true,
    tools: [
      tool("find_order", "Finds an order.", {}, () => slowly("SELECT orders", "Order 7: 40 m.")),
      tool("stock", "Tells the stock.", {}, () => slowly("SELECT stock", "40 m.")),
    ],
  });
  await tracer.startActiveSpan("POST /customers/question", async (span) => {
    const session = await openSession({
      ...{ cliPath: place.cli, cwd: place.cwd, env: place.env, inheritEnv: false },
      model: "claude-sonnet-4-5-20250929",
      mcpServers: { shop },
      allowedTools: ["mcp__shop", "Agent"],
      canUseTool: async () => {
        await pause(400);
        return { behavior: "allow" };
      },
    });
    await session.send("Where is order 7?").text();
    await session.close();
    span.end();
  });
}

/** A handler of a tool that asks a database, which another instrumentation would show by such a span. */
function slowly(name, text) {
  return tracer.startActiveSpan(name, async (span) => {
    await pause(180);
    span.end();
    return { content: [{ type: /** @type {const} */ ("text"), text }] };
  });
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function pictureOf(spans) {
  const rows = inOrder(spans);
  const from = Math.min(...rows.map(({ span }) => startOf(span)));
  const to = Math.max(...rows.map(({ span }) => endOf(span)));
  const x = (ms) => round(NAMES + ((ms - from) / (to - from)) * (WIDTH - NAMES - 20));
  const height = TOP + rows.length * ROW + 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc">
<title id="title">A trace of one turn</title>
<desc id="desc">${escaped(rows.map(({ span }) => span.name).join(", "))}</desc>
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${height}" rx="8"/>
<text class="title" x="20" y="28">A trace of one turn</text>
<text class="soft" x="20" y="47">${round((to - from) / 1000)} s; the real CLI and a simulated model. ◆ is the event hawser.permission</text>
${ticks(from, to, x, height).join("\n")}
${rows.map((row, at) => rowOf(row, at, x)).join("\n")}
</svg>
`;
}

function rowOf({ span, depth }, at, x) {
  const y = TOP + at * ROW;
  const [left, right] = [x(startOf(span)), x(endOf(span))];
  const kind = /^(invoke_agent|chat|execute_tool)/.exec(span.name)?.[1] ?? "user";
  const events = span.events.map(
    ({ time }) =>
      `<text class="mark" x="${x(msOf(time))}" y="${y + 16}" text-anchor="middle">◆</text>`,
  );
  const bar = `<rect class="${kind}" x="${left}" y="${y + 4}" width="${round(Math.max(right - left, 2))}" height="15" rx="3"/>`;
  const name = `<text x="${20 + depth * 14}" y="${y + 16}">${escaped(shortened(span.name))}</text>`;
  return [name, bar, ...events].join("");
}

function ticks(from, to, x, height) {
  const lines = [];
  for (let ms = 0; ms <= to - from; ms += 1000) {
    const at = x(from + ms);
    lines.push(
      `<line class="grid" x1="${at}" y1="${TOP}" x2="${at}" y2="${height - 12}"/><text class="soft" x="${at}" y="${TOP - 4}" text-anchor="middle">${ms / 1000} s</text>`,
    );
  }
  return lines;
}

/** The spans as a tree, children below their parents in the order of their starts. */
function inOrder(spans) {
  const below = (id, depth) =>
    spans
      .filter((span) => (span.parentSpanContext?.spanId ?? "") === id)
      .sort((a, b) => startOf(a) - startOf(b))
      .flatMap((span) => [{ span, depth }, ...below(span.spanContext().spanId, depth + 1)]);
  return below("", 0);
}

function startOf({ startTime }) {
  return msOf(startTime);
}

function endOf({ endTime }) {
  return msOf(endTime);
}

function msOf([seconds, nanos]) {
  return seconds * 1000 + nanos / 1e6;
}

function shortened(name) {
  return name.replace("claude-sonnet-4-5-20250929", "claude-sonnet-4-5");
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
