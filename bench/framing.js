// Framing plus decoding of stream-json, against a bare JSON.parse of lines that are strings already
// and against node:readline. Run it after a build; exit code 1 if a target is missed.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const DIST = process.env.HAWSER_DIST ?? fileURLToPath(new URL("../dist", import.meta.url));
const { LineFramer, decodeLine } = await import(pathToFileURL(`${DIST}/wire/index.js`).href);

const MiB = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const LONG_LINE_BYTES = 64 * MiB;
const CORPUS_BYTES = 40e6;
const PASSES = 5;
const NON_ASCII_SHARE = 0.1;

/** Every round starts from a collected heap, so that no contender pays for another's garbage. */
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/**
 * Rates in MB/s, and ratios of times taken in the same round; all medians.
 * `targets.bare` is the least share of the bare parse rate, `targets.readline` of readline's.
 */
export async function run({ rounds = 9, log = () => {} } = {}) {
  const results = [];
  for (const makeCase of [manyLines, longLineOfEntries, longLineOfText]) {
    const input = makeCase();
    log(`${input.name} …`);
    results.push({ ...(await measure(input, rounds)), targets: input.targets });
  }
  const missed = results.flatMap(({ name, ofBare, ofReadline, targets }) => [
    ...(ofBare < targets.bare ? [`${name}: ${ofBare.toFixed(2)} of bare JSON.parse`] : []),
    ...(ofReadline < targets.readline ? [`${name}: ${ofReadline.toFixed(2)} of readline`] : []),
  ]);
  return { results, missed };
}

async function measure(input, rounds) {
  const names = Object.keys(CONTENDERS);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(turn + round + names.length) % names.length];
      const ms = await time(CONTENDERS[name], input);
      // Round -1 warms up.
      if (round >= 0) times[name].push(ms);
    }
  }
  const rate = (name) => (input.bytes * input.passes) / 1e3 / median(times[name]);
  const ratio = (name) => median(times[name].map((ms, round) => ms / times.hawser[round]));
  return {
    name: input.name,
    bare: rate("bare"),
    hawser: rate("hawser"),
    readline: rate("readline"),
    ofBare: ratio("bare"),
    ofReadline: ratio("readline"),
  };
}

async function time(contender, input) {
  collectGarbage();
  const start = performance.now();
  const messages = await contender(input);
  const ms = performance.now() - start;
  const expected = input.lines.length * input.passes;
  if (messages !== expected) throw new Error(`${messages} messages instead of ${expected}`);
  return ms;
}

const CONTENDERS = {
  bare({ lines, passes }) {
    let messages = 0;
    for (let pass = 0; pass < passes; pass++) {
      for (const line of lines) if (JSON.parse(line).type) messages++;
    }
    return messages;
  },

  hawser({ chunks, passes }) {
    let messages = 0;
    const framer = new LineFramer();
    for (let pass = 0; pass < passes; pass++) {
      for (const chunk of chunks) {
        for (const line of framer.push(chunk)) {
          const frame = decodeLine(line);
          if (frame.kind === "message" && frame.message.type) messages++;
        }
      }
    }
    return messages + framer.end().length;
  },

  async readline({ chunks, passes }) {
    let messages = 0;
    const input = Readable.from(repeat(chunks, passes), { objectMode: false });
    const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    reader.on("line", (line) => {
      if (JSON.parse(line).type) messages++;
    });
    await new Promise((resolve) => reader.once("close", resolve));
    return messages;
  },
};

function* repeat(chunks, passes) {
  for (let pass = 0; pass < passes; pass++) yield* chunks;
}

function manyLines() {
  const text = writer(1);
  const lines = [];
  for (let bytes = 0; bytes < CORPUS_BYTES; ) {
    const line = JSON.stringify(text.message());
    lines.push(line);
    bytes += Buffer.byteLength(line) + 1;
  }
  return {
    name: "200 MB of small lines",
    ...inChunks(lines),
    passes: PASSES,
    targets: { bare: 0.8, readline: 1 },
  };
}

/** A mirrored transcript: the one message whose size has no bound. */
function longLineOfEntries() {
  const text = writer(2);
  const head =
    '{"type":"transcript_mirror","filePath":"/home/u/.claude/projects/w/s.jsonl","entries":[';
  const entries = [];
  let bytes = head.length;
  while (bytes < LONG_LINE_BYTES - 8192) {
    const entry = JSON.stringify(text.message());
    entries.push(entry);
    bytes += Buffer.byteLength(entry) + 1;
  }
  const line = padTo(LONG_LINE_BYTES, `${head}${entries.join(",")},"`, '"]}');
  return {
    name: "one 64 MiB line of entries",
    ...inChunks([line]),
    passes: 1,
    targets: { bare: 0.8, readline: 1 },
  };
}

/**
 * The worst case: JSON.parse of one huge string is little more than a copy, so that making the
 * string at all, which the bare contender is spared, costs as much as parsing it.
 */
function longLineOfText() {
  const text = writer(3, 0);
  const paragraphs = JSON.stringify(text.words(MiB)).slice(1, -1);
  const head = '{"type":"result","subtype":"success","is_error":false,"result":"';
  const filled = head + paragraphs.repeat(Math.floor((LONG_LINE_BYTES - 256) / paragraphs.length));
  return {
    name: "one 64 MiB line of text",
    ...inChunks([padTo(LONG_LINE_BYTES, filled, '"}')]),
    passes: 1,
    targets: { bare: 0, readline: 1 },
  };
}

function padTo(bytes, head, tail) {
  const missing = bytes - Buffer.byteLength(head) - tail.length;
  return Buffer.from(`${head}${"x".repeat(missing)}${tail}`).toString();
}

function inChunks(lines) {
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  const chunks = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    chunks.push(Buffer.from(bytes.subarray(at, at + CHUNK_BYTES)));
  }
  return { lines, chunks, bytes: bytes.length };
}

/** Messages as the CLI writes them with partial messages on; the same ones for the same seed. */
function writer(seed, nonAscii = NON_ASCII_SHARE) {
  const random = randomNumbers(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const between = (low, high) => Math.floor(low + random() * (high - low));
  const hex = (length) => Array.from({ length }, () => pick("0123456789abcdef")).join("");
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join("-");
  const words = (length) => {
    let text = "";
    while (text.length < length) text += `${pick(WORDS)} `;
    return text;
  };
  const prose = (length) => words(length) + (random() < nonAscii ? pick(NON_ASCII) : "");
  const session_id = uuid();
  const stamp = () => ({ parent_tool_use_id: null, session_id, uuid: uuid() });
  const usage = () => ({
    input_tokens: between(1, 99),
    cache_creation_input_tokens: between(0, 9999),
    cache_read_input_tokens: between(0, 99999),
    output_tokens: 1,
    service_tier: "standard",
  });

  const delta = () => ({
    type: "stream_event",
    event: {
      type: "content_block_delta",
      index: between(0, 4),
      delta: { type: "text_delta", text: prose(between(4, 60)) },
    },
    ...stamp(),
    api_message_id: `msg_${hex(24)}`,
  });
  const assistant = () => ({
    type: "assistant",
    message: {
      id: `msg_${hex(24)}`,
      type: "message",
      role: "assistant",
      model: "claude-opus-5-5",
      content: [{ type: "text", text: prose(between(100, 1400)) }],
      stop_reason: null,
      stop_sequence: null,
      usage: usage(),
      context_management: null,
    },
    ...stamp(),
    timestamp: "2026-11-15T08:00:00.000Z",
    request_id: `req_${hex(24)}`,
  });
  const toolResult = () => {
    const stdout = prose(between(50, 700));
    const id = `toolu_${hex(24)}`;
    const block = { tool_use_id: id, type: "tool_result", content: stdout, is_error: false };
    return {
      type: "user",
      message: { role: "user", content: [block] },
      ...stamp(),
      tool_use_result: { stdout, stderr: "", interrupted: false, isImage: false },
      tool_result_meta: [{ id, permission_decision: { decision: "accept", source: "config" } }],
      timestamp: "2026-11-15T08:00:00.000Z",
    };
  };
  return { words, message: () => pick([delta, delta, delta, delta, assistant, toolResult])() };
}

const WORDS =
  'the function returns a value when the test fails because "config.json" is not read:\n const x = await load({ a: 1 });\n see src/index.ts line 42 and run npm test again'.split(
    " ",
  );
const NON_ASCII = ["naïve café", "— and so on", "✓ done →", "日本語のテキスト", "🙂🙂", "“quoted”"];

function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { results, missed } = await run({ log: console.log });
  console.table(
    results.map(({ name, bare, hawser, readline, ofBare, ofReadline, targets }) => ({
      input: name,
      "bare MB/s": Math.round(bare),
      "hawser MB/s": Math.round(hawser),
      "readline MB/s": Math.round(readline),
      "of bare": ofBare.toFixed(2),
      target: targets.bare || "–",
      "of readline": ofReadline.toFixed(2),
    })),
  );
  for (const line of missed) console.error(`missed: ${line}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
}
