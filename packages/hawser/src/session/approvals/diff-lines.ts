/** A line of a diff: added, removed, or unchanged. The sign `…` stands for unchanged lines. */
export interface DiffLine {
  readonly sign: "+" | "-" | " " | "…";
  readonly text: string;
}

/** The changes between two texts, line by line, with a few lines around each change. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) {
    end += 1;
  }
  const middle = changed(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return around([...kept(a.slice(0, start)), ...middle, ...kept(a.slice(a.length - end))]);
}

/** The most lines on each side that are compared with each other; a longer part is replaced as a whole. */
const COMPARED = 1000;
const AROUND = 3;

function linesOf(text: string): string[] {
  if (text === "") return [];
  return text.replace(/\n$/, "").split("\n");
}

function kept(lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ sign: " ", text }));
}

/** By the longest common subsequence. */
function changed(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ sign: "-", text });
  const added = (text: string): DiffLine => ({ sign: "+", text });
  if (a.length > COMPARED || b.length > COMPARED) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const longest = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
      common[i * width + j] = longest;
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ sign: " ", text: a[i] ?? "" });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push(removed(a[i++] ?? ""));
    else lines.push(added(b[j++] ?? ""));
  }
  return [...lines, ...a.slice(i).map(removed), ...b.slice(j).map(added)];
}

/** Leaves out the lines that are far from any change. */
function around(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Set<number>();
  for (const [place, { sign }] of lines.entries()) {
    if (sign === " ") continue;
    for (let at = place - AROUND; at <= place + AROUND; at += 1) near.add(at);
  }
  return lines.flatMap((line, place): DiffLine[] => {
    if (near.has(place)) return [line];
    return near.has(place - 1) ? [{ sign: "…", text: "" }] : [];
  });
}
