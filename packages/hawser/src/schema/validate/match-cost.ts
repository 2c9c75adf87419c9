/**
 * A rough upper bound of the steps that a backtracking engine takes to match a pattern against a
 * text of this length; infinite if the number may grow exponentially. An estimate that is too high
 * costs a thread; an estimate that is too low would block the host. In doubt the estimate is high.
 */
export function matchCost(source: string, length: number): number {
  const { degree, ways, size } = cachedShape(source);
  return size * Math.max(length, 2) ** degree * ways;
}

/** The facts about a pattern that decide its cost. */
interface Shape {
  /** The exponent of the text's length. */
  readonly degree: number;
  /** The number of combinations of optional parts and alternatives. */
  readonly ways: number;
  /** The length of the pattern with its counts written out: `a{3}` is as long as `aaa`. */
  readonly size: number;
}

function cachedShape(source: string): Shape {
  const known = CACHED_SHAPES.get(source);
  if (known !== undefined) return known;
  const shape = readShape(source);
  // Most programs have few schemas. A program that keeps making new ones must not fill the memory.
  if (CACHED_SHAPES.size >= MAX_CACHED_SHAPES) CACHED_SHAPES.clear();
  CACHED_SHAPES.set(source, shape);
  return shape;
}

const CACHED_SHAPES = new Map<string, Shape>();
const MAX_CACHED_SHAPES = 1000;

/**
 * A part of a pattern: a reference to a group, a class, a group, a repetition, or one character.
 */
const PART =
  /\\[1-9k]|\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|\)|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu;

interface Group {
  /** Whether the group can match texts of several lengths, or one text in several ways. */
  isVaried: boolean;
  alternatives: number;
  /** The number of parts, with counts written out. */
  parts: number;
}

/**
 * A variable repetition adds one to the degree. The repetition of a varied group makes it infinite.
 */
function readShape(source: string): Shape {
  // Without an anchor, the engine starts a match at each position of the text.
  let degree = source.startsWith("^") ? 0 : 1;
  let ways = 1;
  const open: Group[] = [];
  let group = newGroup();
  /**
   * The part that a repetition would repeat: the group that was just closed, or a single character.
   */
  let last: Group = newGroup();
  for (const [part] of source.matchAll(PART)) {
    const repeats = repetitionOf(part);
    const before = last;
    last = newGroup();
    group.parts += 1;
    if (part.startsWith("(")) {
      open.push(group);
      group = newGroup();
    } else if (part === ")") {
      last = group;
      ways *= group.alternatives;
      group = open.pop() ?? newGroup();
      group.isVaried ||= last.isVaried;
      group.parts += last.parts;
    } else if (part === "|") {
      group.alternatives += 1;
      group.isVaried = true;
      // The anchor at the start belongs to the first alternative only.
      if (open.length === 0) degree = Math.max(degree, 1);
    } else if (repeats === "optional") {
      ways *= 2;
      group.isVaried = true;
    } else if (repeats !== "no") {
      if (before.isVaried) degree = Number.POSITIVE_INFINITY;
      else if (repeats === "many") degree += 1;
      group.isVaried ||= repeats === "many";
      group.parts += before.parts * countOf(part);
    } else if (/^\\[1-9k]/.test(part)) degree += 1;
  }
  return { degree, ways: ways * group.alternatives, size: source.length + group.parts };
}

/** A single character counts as a group of one part. */
function newGroup(): Group {
  return { isVaried: false, alternatives: 1, parts: 1 };
}

/** The highest number in a repetition; 1 for `*` and `+`, which count in the degree. */
function countOf(repetition: string): number {
  return Math.max(1, ...(repetition.match(/\d+/g) ?? []).map(Number));
}

function repetitionOf(part: string): "no" | "fixed" | "optional" | "many" {
  if (/^[*+]/.test(part)) return "many";
  if (part.startsWith("?")) return "optional";
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(part) ?? [];
  if (least === undefined) return "no";
  return comma === "" || least === most ? "fixed" : "many";
}
