// A deep comparison with a path for each difference. Lists of messages are first aligned by kind (tools by
// their name, texts by their content), so that one extra message is one difference, and not one at every
// later message. Their order is compared, too: a swapped pair is one missing and one extra message.

/** Stands for a missing value. */
export const ABSENT = Symbol("absent");

/** Every difference between two observations, as `{ path, official, ours }`. */
export function compare(official, ours) {
  const differences = [];
  walk(official, ours, "", differences);
  return differences;
}

/** A difference in a few readable lines. */
export function describe({ path, official, ours }) {
  const [left, right] = excerpts(show(official), show(ours));
  return `    ${path}\n      official  ${left}\n      ours      ${right}`;
}

function walk(official, ours, path, differences) {
  if (Object.is(official, ours)) return;
  if (Array.isArray(official) && Array.isArray(ours)) {
    return walkLists(official, ours, path, differences);
  }
  if (isObject(official) && isObject(ours)) {
    for (const key of new Set([...Object.keys(official), ...Object.keys(ours)])) {
      walk(at(official, key), at(ours, key), path === "" ? key : `${path}.${key}`, differences);
    }
    return;
  }
  differences.push({ path, official, ours });
}

function walkLists(official, ours, path, differences) {
  for (const [left, right] of sideBySide(official, ours)) {
    const here =
      left === undefined
        ? `${path}[${right}]${label(ours[right])}`
        : `${path}[${left}]${label(official[left])}`;
    walk(
      left === undefined ? ABSENT : official[left],
      right === undefined ? ABSENT : ours[right],
      here,
      differences,
    );
  }
}

/**
 * Pairs of indexes. Items with a kind are aligned by the longest common subsequence of kinds.
 * @returns {([number, number] | [number, undefined] | [undefined, number])[]}
 */
function sideBySide(official, ours) {
  const left = official.map(kind);
  const right = ours.map(kind);
  if ([...left, ...right].includes(undefined)) {
    return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
      if (index >= left.length) return [undefined, index];
      return index < right.length ? [index, index] : [index, undefined];
    });
  }
  const lengths = Array.from({ length: left.length + 1 }, () =>
    new Array(right.length + 1).fill(0),
  );
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      lengths[i][j] =
        left[i] === right[j]
          ? lengths[i + 1][j + 1] + 1
          : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  /** @type {ReturnType<typeof sideBySide>} */
  const pairs = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) pairs.push([i++, j++]);
    else if (j >= right.length || (i < left.length && lengths[i + 1][j] >= lengths[i][j + 1])) {
      pairs.push([i++, undefined]);
    } else pairs.push([undefined, j++]);
  }
  return pairs;
}

function kind(item) {
  if (typeof item === "string") return item;
  if (!isObject(item)) return undefined;
  const names = [item.type, item.subtype, item.event?.type, item.state, item.kind];
  const known = names.filter((name) => typeof name === "string");
  return known.length === 0 ? item.name : known.join("/");
}

function label(item) {
  const name = isObject(item) ? kind(item) : undefined;
  return name === undefined ? "" : `(${name})`;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function at(object, key) {
  return Object.hasOwn(object, key) ? object[key] : ABSENT;
}

function show(value) {
  return value === ABSENT ? "(absent)" : JSON.stringify(value);
}

const WIDTH = 200;

/** Two long texts, each from shortly before their first difference. */
function excerpts(left, right) {
  let same = 0;
  while (same < left.length && same < right.length && left[same] === right[same]) same += 1;
  const from = left.length <= WIDTH && right.length <= WIDTH ? 0 : Math.max(0, same - 40);
  return [left, right].map((text) => {
    const cut = text.slice(from, from + WIDTH);
    return `${from > 0 ? "…" : ""}${cut}${from + WIDTH < text.length ? "…" : ""}`;
  });
}
