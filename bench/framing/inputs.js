// The lines that framing.js reads: a long session, and single lines of 64 MiB.
import { randomNumbers } from "../random.js";

const MiB = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const LONG_LINE_BYTES = 64 * MiB;
const CORPUS_BYTES = 40e6;
const PASSES = 5;
/** The share of pieces of text that hold other characters than ASCII. Nearly every reply has some. */
const NON_ASCII_SHARE = 0.05;

/** Each creates its input when it is needed, because all of them together would take much memory. */
export const INPUTS = [
  manyLines,
  () => longLineOfEntries("entries", "one 64 MiB line of entries", 0),
  () =>
    longLineOfEntries("non-ascii", "one 64 MiB line of entries, not all ASCII", NON_ASCII_SHARE),
  longLineOfText,
];

function manyLines() {
  return {
    id: "small-lines",
    name: "200 MB of small lines",
    ...inChunks(linesOf(session(1, NON_ASCII_SHARE), CORPUS_BYTES)),
    passes: PASSES,
  };
}

/** A mirrored transcript, the only message without a size limit. */
function longLineOfEntries(id, name, nonAscii) {
  const head =
    '{"type":"transcript_mirror","filePath":"/home/u/.claude/projects/w/s.jsonl","entries":[';
  const entries = linesOf(session(2, nonAscii), LONG_LINE_BYTES - 64 * 1024);
  const line = padTo(LONG_LINE_BYTES, `${head}${entries.join(",")},"`, '"]}');
  return {
    id,
    name,
    ...inChunks([line]),
    passes: 1,
  };
}

/** JSON.parse of one huge string costs little more than a copy, and so does creating that string. */
function longLineOfText() {
  const paragraphs = JSON.stringify(`${WORDS.join(" ")}\n`.repeat(100)).slice(1, -1);
  const head = '{"type":"result","subtype":"success","is_error":false,"result":"';
  const filled = head + paragraphs.repeat(Math.floor((LONG_LINE_BYTES - 256) / paragraphs.length));
  return {
    id: "text",
    name: "one 64 MiB line of text",
    ...inChunks([padTo(LONG_LINE_BYTES, filled, '"}')]),
    passes: 1,
  };
}

function linesOf(messages, atLeast) {
  const lines = [];
  let bytes = 0;
  for (const message of messages) {
    const line = JSON.stringify(message);
    lines.push(line);
    bytes += Buffer.byteLength(line) + 1;
    if (bytes >= atLeast) return lines;
  }
  return lines;
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

/** A session as the CLI prints it with partial messages. The same seed gives the same session. */
function* session(seed, nonAscii) {
  const random = randomNumbers(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const between = (low, high) => Math.floor(low + random() * (high - low));
  const hex = (length) => Array.from({ length }, () => pick("0123456789abcdef")).join("");
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join("-");
  const session_id = uuid();
  const words = (count) => Array.from({ length: count }, () => pick(WORDS)).join(" ");
  const pieces = (count) =>
    Array.from({ length: count }, () =>
      random() < nonAscii ? `${pick(NON_ASCII)} ` : `${words(between(2, 8))} `,
    );

  for (;;) {
    const id = `msg_${hex(24)}`;
    const toolId = `toolu_${hex(24)}`;
    const body = { id, type: "message", role: "assistant", model: "claude-opus-5-5" };
    const rest = { stop_reason: null, stop_sequence: null, usage: USAGE };
    const stamp = () => ({ session_id, parent_tool_use_id: null, uuid: uuid() });
    const event = (type, fields) => ({
      type: "stream_event",
      event: { type, ...fields },
      ...stamp(),
      api_message_id: id,
    });
    const assistant = (block) => ({
      type: "assistant",
      message: { ...body, content: [block], ...rest, context_management: null },
      ...stamp(),
      timestamp: "2026-11-15T08:00:00.000Z",
      request_id: `req_${hex(24)}`,
    });
    const block = function* (index, start, deltas, whole) {
      yield event("content_block_start", { index, content_block: start });
      for (const delta of deltas) yield event("content_block_delta", { index, delta });
      yield assistant(whole);
      yield event("content_block_stop", { index });
    };

    yield event("message_start", { message: { ...body, content: [], ...rest } });
    const text = pieces(between(10, 40));
    const textDeltas = text.map((piece) => ({ type: "text_delta", text: piece }));
    yield* block(0, { type: "text", text: "" }, textDeltas, { type: "text", text: text.join("") });

    const input = { command: words(between(5, 40)), description: words(4) };
    const call = { type: "tool_use", id: toolId, name: "Bash" };
    const parts = JSON.stringify(input).match(/.{1,24}/g) ?? [];
    const inputDeltas = parts.map((part) => ({ type: "input_json_delta", partial_json: part }));
    yield* block(1, { ...call, input: {} }, inputDeltas, { ...call, input });
    const delta = { stop_reason: "tool_use", stop_sequence: null };
    yield event("message_delta", { delta, usage: { output_tokens: between(20, 900) } });
    yield event("message_stop", {});

    const stdout = pieces(between(5, 25)).join("");
    yield {
      type: "user",
      message: {
        role: "user",
        content: [{ tool_use_id: toolId, type: "tool_result", content: stdout, is_error: false }],
      },
      ...stamp(),
      timestamp: "2026-11-15T08:00:00.000Z",
      tool_use_result: { stdout, stderr: "", interrupted: false, isImage: false },
      tool_result_meta: [
        { id: toolId, permission_decision: { decision: "accept", source: "config" } },
      ],
    };
  }
}

const USAGE = {
  input_tokens: 10,
  cache_creation_input_tokens: 2731,
  cache_read_input_tokens: 18422,
  cache_creation: { ephemeral_5m_input_tokens: 2731, ephemeral_1h_input_tokens: 0 },
  output_tokens: 1,
  service_tier: "standard",
};

const WORDS =
  'the function returns a value when the test fails because "config.json" is not read:\n const x = await load({ a: 1 });\n see src/index.ts line 42 and run npm test again'.split(
    " ",
  );
const NON_ASCII = ["— and so on", "✓ done →", "“quoted”", "naïve café", "日本語のテキスト", "🙂🙂"];
