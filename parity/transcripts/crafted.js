// Hand-made transcripts that no real session writes, for rules about edge cases.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const craftedId = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const id = (n) => (n === null ? null : craftedId(900 + n));
const at = (n) => new Date(Date.UTC(2026, 0, 2) + n * 1000).toISOString();
const entry = (type, n, parent, more = {}) => ({
  type,
  uuid: id(n),
  parentUuid: id(parent),
  message: { role: type, content: `${type} ${n}` },
  timestamp: at(n),
  cwd: "/crafted",
  sessionId: "SS",
  gitBranch: "main",
  isSidechain: false,
  ...more,
});
const u = (n, parent, more) => entry("user", n, parent, more);
const a = (n, parent, more) => entry("assistant", n, parent, more);
const s = (n, parent, more) => ({ ...entry("system", n, parent, more), message: undefined });
const said = (content, more = {}) => u(1, null, { message: { role: "user", content }, ...more });
const aside = { isSidechain: true };
const call = (n, parent, tool, message) =>
  a(n, parent, { message: { id: message, content: [{ type: "tool_use", id: tool, name: "B" }] } });
const result = (n, parent, tool) =>
  u(n, parent, { message: { content: [{ type: "tool_result", tool_use_id: tool }] } });
const boundary = (n, kept) =>
  s(n, null, { subtype: "compact_boundary", logicalParentUuid: id(4), compactMetadata: kept });
const summary = (n, parent) => u(n, parent, { isCompactSummary: true });
const pad = (kilobytes) => ({ type: "progress", data: "p".repeat(kilobytes * 1024) });
const compaction = (kept) => [
  u(1, null),
  a(2, 1),
  u(3, 2),
  a(4, 3),
  boundary(5, kept),
  summary(6, 5),
  a(7, 6),
  u(8, 7),
];
const segment = (head, anchor, tail) => ({
  preservedSegment: { headUuid: id(head), anchorUuid: id(anchor), tailUuid: id(tail) },
});
const messages = (anchor, ...uuids) => ({
  preservedMessages: { anchorUuid: id(anchor), uuids: uuids.map(id), allUuids: uuids.map(id) },
});

const markup = [
  "<command-name>/foo</command-name>",
  "<bash-input>ls -l</bash-input>",
  "<b>x</b>",
  "<Foo>x</Foo>",
  "<local-command-stdout>x</local-command-stdout>",
  "<foo a=1>x</foo>",
  "< foo> x",
  "  \n",
  "a\n\n b\t",
  "[Request interrupted by user]",
  "[Request interrupted by user for tool use]",
  "[Request x",
  "{}",
  "<ide_selection>x</ide_selection> tail",
  "x".repeat(300),
  "x".repeat(200),
  `${"x".repeat(199)} yy`,
];

/** The lines of each session. Ids are numbered in this order, from 1. */
export const crafted = [
  ...markup.flatMap((text) => [[said(text)], [said(text), u(2, 1)]]),
  [
    said([
      { type: "text", text: "A" },
      { type: "text", text: "B" },
    ]),
  ],
  [
    said([
      { type: "image", source: {} },
      { type: "text", text: "B" },
    ]),
  ],
  [said([{ type: "image", source: {} }])],
  [
    said([
      { type: "tool_result", tool_use_id: "x" },
      { type: "text", text: "t" },
    ]),
    u(2, 1),
  ],
  [said("meta", { isMeta: true }), u(2, 1)],
  [said("summary", { isCompactSummary: true }), u(2, 1)],
  [said("x", aside)],
  [u(1, null), u(2, 1, aside)],
  [{ type: "queue-operation", timestamp: at(0) }, u(2, 1, aside)],
  [a(1, null)],
  [{ type: "queue-operation", timestamp: at(0), content: "q" }],
  [{ type: "mode", mode: "normal" }, u(1, null)],
  [said("x", { timestamp: "nope" })],
  ...[
    [{ type: "custom-title", customTitle: "CT" }],
    [
      { type: "custom-title", customTitle: "CT" },
      { type: "custom-title", customTitle: "" },
    ],
    [{ type: "ai-title", aiTitle: "AI" }],
    [
      { type: "custom-title", customTitle: "CT" },
      { type: "ai-title", aiTitle: "AI" },
    ],
    [
      { type: "ai-title", aiTitle: "AI" },
      { type: "custom-title", customTitle: "" },
    ],
    [{ type: "summary", summary: "SUM", leafUuid: "l" }],
    [
      { type: "summary", summary: "SUM" },
      { type: "last-prompt", lastPrompt: "LP" },
    ],
    [{ type: "last-prompt", lastPrompt: "z".repeat(500) }],
    [
      { type: "tag", tag: "A" },
      { type: "tag", tag: "B" },
    ],
    [
      { type: "tag", tag: "A" },
      { type: "tag", tag: "" },
    ],
    [
      { type: "custom-title", customTitle: 'a"b\\c\n é😀' },
      { type: "tag", tag: 'q"é' },
    ],
  ].flatMap((lines) => [[u(1, null), ...lines], lines]),
  [u(1, null, { cwd: "/a", gitBranch: "b1" }), u(2, 1, { cwd: "/b", gitBranch: "b2" })],
  [u(1, null, { cwd: undefined, gitBranch: "" })],
  [u(1, null, { gitBranch: "q" }), u(2, 1, { gitBranch: "" })],
  ["{garbage", u(1, null), "nope", a(2, 1)],
  [],
  ...[
    [10, 10],
    [70, 10],
    [100, 60],
    [100, 70],
    [200, 200],
  ].map(([before, behind]) => [
    u(1, null),
    pad(before),
    { type: "custom-title", customTitle: "T" },
    { type: "tag", tag: "T" },
    pad(behind),
  ]),
  ...[30, 63, 66, 200].map((kilobytes) => [{ type: "mode" }, pad(kilobytes), u(1, null), pad(200)]),
  ...[30, 60, 70].map((kilobytes) => [said("x".repeat(kilobytes * 1024)), pad(200)]),
  [
    { type: "queue-operation", timestamp: at(0), content: "x".repeat(70_000) },
    said("x".repeat(70_000)),
    { type: "last-prompt", lastPrompt: "LP" },
  ],
  [
    { type: "custom-title", customTitle: "H" },
    u(1, null),
    { type: "tag", tag: "HT" },
    { type: "last-prompt", lastPrompt: "HLP" },
    { type: "summary", summary: "HS" },
    pad(300),
  ],
  [
    u(1, null),
    { type: "custom-title", customTitle: "H" },
    pad(300),
    { type: "custom-title", customTitle: "" },
  ],
  // conversations
  [u(1, null), a(2, 1), u(3, 2), a(4, 3)],
  [u(1, null), a(2, 1), u(3, 2), a(4, 3), u(5, 2), a(6, 5)],
  [u(1, null), a(2, 1), u(5, 2), a(6, 5), u(3, 2), a(4, 3)],
  [u(1, null), s(2, 1), a(3, 2)],
  [u(1, null), a(2, 1), s(3, 2), s(4, 3)],
  [u(1, null), s(2, 1, { isMeta: true }), a(3, 2)],
  [u(1, null, { isMeta: true }), u(2, 1), a(3, 2)],
  [u(1, null), a(2, 1), u(3, 1, { isMeta: true })],
  [u(1, null), a(2, 1), u(3, null, { isMeta: true })],
  [u(1, null), a(2, 1), u(3, 2, aside), a(4, 3, aside), u(5, 2)],
  [u(1, null), a(2, 1), u(3, 2, aside), a(4, 3, aside)],
  [u(1, null), a(2, 1), u(3, 1, aside)],
  [u(1, null), a(2, 1), u(3, 1, { teamName: "t" })],
  [u(1, null), a(2, 1, { teamName: "t", agentName: "n", slug: "s" }), u(3, 2)],
  [u(1, null), a(2, 1), s(3, 1)],
  [u(1, null), a(2, 1), s(3, null)],
  [u(1, null), a(2, 1), entry("attachment", 3, 1)],
  [u(1, null), a(2, 1), u(3, 1), a(4, 3), entry("attachment", 5, 2)],
  [u(1, null), a(2, 1), u(3, 1), a(4, 3), entry("progress", 5, 2)],
  [u(1, null), entry("attachment", 2, 1), a(3, 2), entry("attachment", 4, 3)],
  [u(1, null), entry("progress", 2, 1), a(3, 2)],
  [u(1, null), entry("weird", 2, 1), a(3, 2)],
  [u(1, null), a(2, 1), u(5, 77), a(6, 5)],
  [u(1, 2), a(2, 1)],
  [u(1, 2), a(2, 1), u(3, 2)],
  [u(1, null), a(2, 1), u(3, 1), a(4, 3), a(2, 1, { message: { content: "NEW" } })],
  [u(1, null), a(2, 1, { uuid: 5 })],
  [u(1, null), { ...a(2, 1), parentUuid: undefined }],
  [u(1, null, { sessionId: undefined }), a(2, 1, { timestamp: undefined })],
  [
    u(1, null),
    call(2, 1, "t1", "m"),
    call(3, 2, "t2", "m"),
    result(4, 2, "t1"),
    result(5, 3, "t2"),
    a(6, 5),
  ],
  [
    u(1, null),
    call(2, 1, "t1", "m"),
    result(4, 2, "t1"),
    call(3, 2, "t2", "m"),
    result(5, 3, "t2"),
    a(6, 4),
  ],
  [
    u(1, null),
    call(2, 1, "t1", "m"),
    call(3, 1, "t2", "m"),
    result(4, 2, "t1"),
    result(5, 3, "t2"),
    a(6, 4),
  ],
  [u(1, null), call(2, 1, "t1"), call(3, 1, "t2"), result(4, 2, "t1"), result(5, 3, "t2"), a(6, 4)],
  [
    u(1, null),
    call(2, 1, "t1", "m"),
    call(3, 2, "t2", "m"),
    call(4, 3, "t3", "m"),
    result(6, 2, "t1"),
    result(5, 3, "t2"),
    result(7, 4, "t3"),
    a(8, 7),
  ],
  [u(1, null), call(2, 1, "t1", "m"), call(3, 2, "t2", "m"), u(4, 2), result(5, 3, "t2"), a(6, 5)],
  [u(1, null), call(2, 1, "t1", "m"), call(3, 2, "t2", "m"), result(4, 2, "t1")],
  compaction({}),
  compaction(segment(3, 6, 4)),
  compaction(segment(3, 5, 4)),
  compaction(segment(3, 6, 99)),
  compaction(segment(99, 6, 4)),
  compaction(segment(3, 99, 4)),
  compaction(messages(6, 3, 4)),
  compaction(messages(6, 1, 4)),
  compaction(messages(6, 3, 99, 4)),
  compaction({ ...messages(6, 4), ...segment(3, 6, 4) }),
  compaction(segment(3, 6, 4)).slice(0, 6),
  [...compaction(segment(3, 6, 4)), boundary(9, segment(4, 10, 7)), summary(10, 9), a(11, 10)],
  [boundary(5, {}), summary(6, 5), a(7, 6)],
  [u(1, null), a(2, 1), boundary(3, {}), entry("attachment", 9, 3), summary(4, 9), a(5, 4)],
  // what a fork copies
  (own) => [
    u(1, null),
    { type: "atis-latch", atis: "1", sessionId: own },
    a(2, 1, { sourceToolAssistantUUID: id(1) }),
    { type: "atis-latch", atis: "2", sessionId: own },
    { type: "tools-used", tools: ["B"], sessionId: own },
    { type: "content-replacement", sessionId: own, replacements: [{ a: 1 }] },
    { type: "content-replacement", sessionId: own, replacements: [{ a: 2 }] },
    { type: "mode", mode: "plan", sessionId: own },
    { type: "cost-state", sessionId: own },
    u(3, 2),
    { type: "tools-used", tools: ["not mine"], sessionId: "other" },
  ],
  [u(1, null, { entrypoint: "sdk-ts" }), a(2, 1, { entrypoint: "cli" })],
  [u(1, null, { entrypoint: "cli" }), a(2, 1, { entrypoint: "sdk-ts" })],
  [u(1, null, { entrypoint: "cli", sessionKind: "daemon" })],
  [u(1, null, { entrypoint: "cli", sessionKind: "bg" })],
  [u(1, null, { entrypoint: "daemon" })],
];

/** The messages at which a hand-made session is forked. */
export const forkPoints = [1, 2, 3, 4, 5, 6, 7, 9].map(id);

export function writeCrafted(projects) {
  const folder = join(projects, "-crafted");
  mkdirSync(folder);
  for (const [index, lines] of crafted.entries()) {
    const own = craftedId(index + 1);
    const all = typeof lines === "function" ? lines(own) : lines;
    const text = all.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
    writeFileSync(join(folder, `${own}.jsonl`), text.map((line) => `${line}\n`).join(""));
    // Pairs of the same age, to test their order.
    utimesSync(join(folder, `${own}.jsonl`), 1000 + (index >> 1), 1000 + (index >> 1));
  }
  writeSubagents(join(folder, craftedId(1), "subagents"));
}

function writeSubagents(folder) {
  mkdirSync(join(folder, "workflows", "w1"), { recursive: true });
  const write = (name, lines) =>
    writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  write("agent-abc.jsonl", [u(11, null, aside), a(12, 11, aside)]);
  writeFileSync(
    join(folder, "agent-abc.meta.json"),
    '{"toolUseId":"toolu_1","parentAgentId":"par"}',
  );
  write("agent-meta.jsonl", [
    u(11, null, aside),
    u(13, 11, { ...aside, isMeta: true }),
    s(14, 13, aside),
  ]);
  write("agent-branch.jsonl", [u(1, null, aside), a(2, 1, aside), u(3, 1, aside)]);
  write("agent-progress.jsonl", [u(1, null, aside), entry("progress", 2, 1), a(3, 2, aside)]);
  write("agent-cycle.jsonl", [u(1, 2, aside), a(2, 1, aside)]);
  write("agent-empty.jsonl", []);
  write("agent-badmeta.jsonl", [u(1, null)]);
  writeFileSync(join(folder, "agent-badmeta.meta.json"), "{");
  write("other.jsonl", [u(1, null)]);
  write("workflows/w1/agent-deep.jsonl", [u(21, null, aside)]);
}
