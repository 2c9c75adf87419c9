/** Random numbers that repeat themselves for the same seed (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 up to, but not including, `below`. */
  number(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.number(list.length)] as T;
  }
}

const PLAIN = ["the", " function", "", " a ", "x", "}}", "{", ",", ":", "[1]", "'", "/", "\x7f"];

/** Pieces of strings as they stand in JSON, of which some are not allowed there. */
const UNUSUAL = [
  "\\n",
  '\\"',
  "\\\\",
  '\\\\\\"',
  "\\/",
  "\\u0041",
  "\\u2028",
  "\\ud83d\\ude42",
  "\\ud800",
  "\\udc00x",
  "\\x",
  "\\u12",
  "\\",
  "é",
  "—",
  "🙂",
  "\u2028",
  "\ufeff",
  "\ufffd",
  "\0",
  "\t",
  "\r",
  "\x1f",
  '"',
  '"}},"',
  '","text":"b',
  '","uuid":"b',
];

/** Bytes that are no UTF-8. */
const BAD_BYTES = [
  [0xff],
  [0xc3],
  [0xe2, 0x82],
  [0xf0, 0x9f, 0x99],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
];

const FIELDS = [
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", "partial_json"],
] as const;

const AGENTS = ["null", '"toolu_1"', '"toolu_2"'];
const MESSAGES = [',"api_message_id":"msg_01"', ',"api_message_id":"msg_02"', ""];

/** Lines that are no piece of a block. */
const OTHERS = [
  '{"type":"keep_alive"}',
  '{"type":"stream_event","event":{"type":"message_stop"},"uuid":"u","parent_tool_use_id":null}',
  '{"type":"stream_event"}',
  '{"type":"stream_event","event":null,"uuid":"u"}',
  '{"type":"stream_event","event":{"type":"content_block_delta","delta":null},"uuid":"u"}',
  '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}},"uuid":"u"}',
  '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}},"uuid":7}',
  '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","more":{}}},"uuid":"u"}',
  '{"uuid":"u","type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}}',
  "npm warn",
  "",
  "{",
];

/** A line of output without its LF: mostly a piece of a block, as the CLI writes it, or nearly so. */
export function eventLine(dice: Dice): Buffer {
  if (dice.number(12) === 0) return Buffer.from(dice.pick(OTHERS));
  const line = pieceLine(dice);
  return dice.number(4) === 0 ? spoil(line, dice) : Buffer.from(line);
}

function pieceLine(dice: Dice): string {
  const [type, field] = dice.pick(FIELDS);
  const delta = `{"type":"${type}","${field}":"${stringOf(dice)}"}`;
  const event = `{"type":"content_block_delta","index":${dice.number(3)},"delta":${delta}}`;
  const uuid = dice.number(30) === 0 ? stringOf(dice) : `5b8a1c7e-${dice.number(1e9)}`;
  const stamp = `"session_id":"s","parent_tool_use_id":${dice.pick(AGENTS)},"uuid":"${uuid}"`;
  return `{"type":"stream_event","event":${event},${stamp}${dice.pick(MESSAGES)}}`;
}

function stringOf(dice: Dice): string {
  if (dice.number(300) === 0) return "long ".repeat(dice.number(20_000));
  let text = "";
  for (let count = dice.number(6); count > 0; count--) {
    text += dice.number(8) === 0 ? dice.pick(UNUSUAL) : dice.pick(PLAIN);
  }
  return text;
}

const SPOILERS: readonly ((line: string, dice: Dice) => string | Buffer)[] = [
  (line, dice) => line.slice(0, dice.number(line.length)),
  (line, dice) => line.slice(dice.number(line.length)),
  (line) => line + line,
  (line) => `${line}\r`,
  (line) => ` \t${line} `,
  (line, dice) => line.replaceAll(dice.pick([":", ",", "{", "}"]), (mark) => ` ${mark}\t`),
  (line) => line.replace('"delta":', '"delta":{"type":"text_delta","text":"first"},"delta":'),
  (line) => line.replace('"uuid":', '"uuid":"first","uuid":'),
  (line) => line.replace(/}$/, ',"uuid":"last"}'),
  (line) => line.replace(/}$/, ',"event":{"type":"content_block_delta"}}'),
  (line) => line.replace('"type":', '"__proto__":{"polluted":1},"type":'),
  (line) => line.replace('"delta":{', '"delta":{"__proto__":"x",'),
  (line) => line.replace('"delta":{', '"delta":{"__proto__":null,'),
  (line) => line.replace('"index":', '"constructor":'),
  (line) => line.replace(/"(text|thinking|partial_json)":"[^"]*"/, '"$1":1e999'),
  (line) => line.replace(/"(text|thinking|partial_json)":"[^"]*"/, '"$1":["a"]'),
  (line) => line.replace(/"uuid":"[^"]*"/, '"uuid":null'),
  (line) => line.replace('"session_id":"s"', '"session_id":{"deep":["x"]}'),
  (line) => line.replace('"session_id":"s"', '"session_id":"s","0":-0,"1":1.0'),
  (line) => line.replace('"session_id":"s",', '"session_id":"s","text":"outside",'),
  (line, dice) => withBytes(line, dice, dice.pick(BAD_BYTES)),
  (line, dice) => withBytes(line, dice, [dice.number(256)]),
  (line, dice) => {
    const bytes = Buffer.from(line);
    bytes[dice.number(bytes.length)] = dice.number(256);
    return bytes;
  },
];

function spoil(line: string, dice: Dice): Buffer {
  return Buffer.from(dice.pick(SPOILERS)(line, dice));
}

function withBytes(line: string, dice: Dice, more: readonly number[]): Buffer {
  const bytes = Buffer.from(line);
  const at = dice.number(bytes.length);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(more), bytes.subarray(at)]);
}
