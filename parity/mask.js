// Masks values that differ from run to run. Everything else is compared unchanged.
//
// A masked value keeps its kind, and a masked id keeps its identity: an id that occurs more than once
// becomes "<uuid#1>", "<uuid#2>" … in the order of first appearance, so that two places that named the
// same thing must still do so. Of an id that occurs once, only its presence is compared.

/** Numbers that a clock or the system chose, by the name of their field. */
const NUMBERS = {
  duration_ms: "how long it took",
  durationMs: "how long it took",
  duration_api_ms: "how long the model took",
  totalDurationMs: "how long a sub-agent took",
  total_duration_ms: "how long a sub-agent took",
  total_api_duration_ms: "how long the model took",
  thinking_duration_ms: "how long the model thought",
  ttft_ms: "time to the first token",
  ttft_stream_ms: "time to the first token",
  time_to_request_ms: "time to the first request",
  first_content_frame_ms: "time to the first content",
  end_time: "a clock",
  start_time: "a clock",
  timestamp: "a clock",
  retry_delay_ms: "has a random part",
  request_sent_wall_ms: "a clock",
  elapsed_time_seconds: "a clock",
  timeoutMs: "less what has passed already",
  pid: "chosen by the system",
};

/** Volatile parts of texts, by a pattern, each with the reason why it is volatile. */
const PATTERNS = [
  {
    name: "time",
    pattern: /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g,
    reason: "a clock",
  },
  {
    name: "duration",
    pattern: /(?<=\bduration_ms: )\d+/g,
    reason: "how long a sub-agent took, in the text of its result",
  },
  {
    name: "device",
    pattern: /(?<="device_id":")[0-9a-f]{64}(?=")/g,
    reason: "made at the first start in a home",
  },
  { name: "plan", pattern: /(?<=plans\/)[\w-]+(?=\.md)/g, reason: "a name of random words" },
  { name: "blob", pattern: /(?<=-blob-)\d+-\w+/g, reason: "a clock and a random end" },
  { name: "port", pattern: /(?<=127\.0\.0\.1:)\d+/g, reason: "chosen by the system" },
  { name: "pid", pattern: /(?<=cc-socks\/)\d+(?=\.sock)/g, reason: "chosen by the system" },
];

/** Random ids, by a pattern. Ids that a scenario chose itself are kept. */
const IDS = [
  {
    name: "uuid",
    pattern: /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
    reason: "random",
    keep: /^(.)\1{7}-/,
  },
  {
    name: "model id",
    pattern: /\b(?:msg|req|toolu|srvtoolu)_sim[0-9a-f]{12}\d{6}\b/g,
    reason: "the simulated model names itself at random",
  },
];

/** Random ids without a recognizable form. They are found by their field, then replaced in every text. */
const ID_FIELDS = {
  task_id: "random",
  taskId: "random",
  backgroundTaskId: "random",
  agent_id: "random",
  agentId: "random",
  hook_id: "random",
  run_id: "a clock and a random end",
  runId: "a clock and a random end",
};

/** The names and reasons of all masks, for `run.js --masks`. */
export function masks() {
  const byField = { ...NUMBERS, ...ID_FIELDS };
  return [
    ...Object.entries(byField).map(([name, reason]) => ({ name: `field ${name}`, reason })),
    ...[...PATTERNS, ...IDS].map(({ name, reason }) => ({ name: `text ${name}`, reason })),
    { name: "the scenario's folder", reason: "made by mkdtemp; also in the CLI's folder names" },
  ];
}

/** The observation of a scenario without volatile values. */
export function mask(observed, { root }) {
  const named = maskFields(observed, undefined, { root });
  const ids = countIds(named);
  return replaceIds(named, ids);
}

/** First pass: fields by name, folders and patterns in texts. */
function maskFields(value, field, place) {
  if (typeof value === "number" && Object.hasOwn(NUMBERS, field)) return "<number>";
  if (typeof value === "string") return maskText(value, place);
  if (Array.isArray(value)) return value.map((item) => maskFields(item, field, place));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort(byName)
      .map((key) => [maskText(key, place), maskFields(value[key], key, place)]),
  );
}

/** What only ours has comes last, so that it does not change the numbers of the ids. */
function byName(one, other) {
  const [first, second] = [one, other].map((name) => OURS_ONLY.includes(name));
  if (first !== second) return first ? 1 : -1;
  return one < other ? -1 : 1;
}

const OURS_ONLY = ["parentToolUseID"];

function maskText(text, { root }) {
  let masked = text
    .replaceAll(root, "<place>")
    .replaceAll(root.replace(/[^a-zA-Z0-9]/g, "-"), "<place>");
  for (const { name, pattern } of PATTERNS) masked = masked.replace(pattern, `<${name}>`);
  return masked;
}

/** Second pass: every id with the number of its occurrences, in the order of first appearance. */
function countIds(observed) {
  const counts = new Map();
  const names = new Map();
  visit(observed, undefined, (text, field) => {
    if (!Object.hasOwn(ID_FIELDS, field ?? "") || text === "") return;
    names.set(text, "id");
  });
  visit(observed, undefined, (text) => {
    for (const { name, pattern, keep } of IDS) {
      for (const [id] of text.matchAll(pattern)) {
        if (keep?.test(id)) continue;
        names.set(id, name);
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
    for (const [id, name] of names) {
      if (name !== "id") continue;
      const found = text.split(id).length - 1;
      if (found > 0) counts.set(id, (counts.get(id) ?? 0) + found);
    }
  });
  const replacements = new Map();
  const numbers = {};
  for (const [id, count] of counts) {
    const name = names.get(id);
    if (count === 1) replacements.set(id, `<${name}>`);
    else {
      numbers[name] = (numbers[name] ?? 0) + 1;
      replacements.set(id, `<${name}#${numbers[name]}>`);
    }
  }
  return replacements;
}

function replaceIds(value, ids) {
  if (typeof value === "string") return replaceAll(value, ids);
  if (Array.isArray(value)) return value.map((item) => replaceIds(item, ids));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [replaceAll(key, ids), replaceIds(item, ids)]),
  );
}

function replaceAll(text, ids) {
  let replaced = text;
  for (const [id, name] of ids) {
    if (replaced.includes(id)) replaced = replaced.replaceAll(id, name);
  }
  return replaced;
}

function visit(value, field, each) {
  if (typeof value === "string") return each(value, field);
  if (Array.isArray(value)) {
    for (const item of value) visit(item, field, each);
    return;
  }
  if (value === null || typeof value !== "object") return;
  for (const [key, item] of Object.entries(value)) {
    each(key, undefined);
    visit(item, key, each);
  }
}
