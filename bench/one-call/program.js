// Makes one call in a process of its own, so that no library profits from what the other has warmed up:
// `node program.js <library> <way> <options>`. Prints the cost.
import { pathToFileURL } from "node:url";
import { DIST } from "../../tools/dist.js";
import { instrumented } from "../instrumented.js";

const [library, way, json] = process.argv.slice(2);
const { cli, cwd, env } = JSON.parse(json);

/** The options for one answer that no setting of the machine changes. */
const LIBRARIES = {
  async hawser() {
    const { complete, stream } = await import(pathToFileURL(`${DIST}/index.js`).href);
    const options = { cliPath: cli, cwd, env, inheritEnv: false };
    return {
      result: async () => (await complete("Go.", options)).result,
      messages: () => stream("Go.", { ...options, includePartialMessages: true }),
      texts: () => stream("Go.", options).textStream,
    };
  },

  /** Hawser with a subscriber on every channel. */
  subscribed: () => subscribed(() => true),

  /** Hawser with a subscriber on the channels of tools. */
  tools: () => subscribed((name) => name.startsWith("tool")),

  /** Hawser with `@hawser/otel`, which is loaded but not started. */
  async otelOff() {
    await import("@hawser/otel");
    return LIBRARIES.hawser();
  },

  /** Hawser with `@hawser/otel` and the SDK of OpenTelemetry. */
  async otel() {
    await instrumented();
    return LIBRARIES.hawser();
  },

  /** What a user would write without a library: it reads lines with the streams of Node, and checks nothing. */
  async handWritten() {
    const { spawn } = await import("node:child_process");
    return {
      async *messages() {
        const child = spawn(cli, ["--output-format", "stream-json"], { cwd, env });
        child.stdin.write(HAND_WRITTEN_INPUT);
        let rest = "";
        for await (const chunk of child.stdout) {
          const lines = `${rest}${chunk}`.split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) {
            const message = JSON.parse(line);
            yield message;
            // At the end of its input, the CLI ends.
            if (message.type === "result") child.stdin.end();
          }
        }
      },
    };
  },

  async official() {
    const { query } = await import("@anthropic-ai/claude-agent-sdk");
    const options = {
      pathToClaudeCodeExecutable: cli,
      cwd,
      env,
      tools: [],
      settingSources: [],
      strictMcpConfig: true,
      persistSession: false,
    };
    const messages = () =>
      query({ prompt: "Go.", options: { ...options, includePartialMessages: true } });
    return {
      // As soon as the result arrives, because leaving the loop would wait for the end of the process.
      result: () =>
        new Promise((resolve, reject) => {
          const read = async () => {
            for await (const message of query({ prompt: "Go.", options })) {
              if (message.type === "result") resolve(message);
            }
          };
          read().catch(reject);
        }),
      messages,
      async *texts() {
        for await (const message of messages()) {
          if (message.type !== "stream_event") continue;
          const { event } = message;
          if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
            yield event.delta.text;
          }
        }
      },
    };
  },
};

const HAND_WRITTEN_INPUT = [
  { type: "control_request", request_id: "1", request: { subtype: "initialize" } },
  { type: "user", message: { role: "user", content: "Go." }, parent_tool_use_id: null },
]
  .map((message) => `${JSON.stringify(message)}\n`)
  .join("");

async function subscribed(isWatched) {
  const { CHANNELS } = await import(pathToFileURL(`${DIST}/index.js`).href);
  for (const [name, channel] of Object.entries(CHANNELS)) {
    if (isWatched(name)) channel.subscribe(() => {});
  }
  return LIBRARIES.hawser();
}

const WAYS = {
  /** From the start of the program, from the call, and from the result line on the pipe, until the caller has the result. */
  async result({ result }) {
    const calledAt = performance.now();
    const { is_error, writtenAt } = await result();
    const now = process.hrtime.bigint();
    const programMs = performance.now();
    const callMs = programMs - calledAt;
    if (is_error) throw new Error("The call failed.");
    const lineMs = writtenAt === undefined ? undefined : Number(now - BigInt(writtenAt)) / 1e6;
    return { programMs, callMs, lineMs };
  },

  /** The CPU time from the first event on. */
  async messages({ messages }) {
    let events = 0;
    let start;
    for await (const { type } of messages()) {
      if (type !== "stream_event") continue;
      start ??= process.cpuUsage();
      events += 1;
    }
    return { events, ...spent(start) };
  },

  /** The CPU time from the first event on, for a caller that reads only the text. */
  async texts({ texts }) {
    let characters = 0;
    let start;
    for await (const text of texts()) {
      start ??= process.cpuUsage();
      characters += text.length;
    }
    return { characters, ...spent(start) };
  },
};

function spent(start) {
  const { user, system } = process.cpuUsage(start);
  return { cpuUs: user + system };
}

console.log(JSON.stringify(await WAYS[way](await LIBRARIES[library]())));
