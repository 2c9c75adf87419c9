// The tables of docs/benchmarks.md.
import { shown, targetOf } from "./figures.js";

export function callTable({ ways }) {
  const rows = Object.values(ways).map(({ label, median, p90 }) => [
    label,
    shown(median),
    shown(p90),
    (median / ways.query.median).toFixed(2),
  ]);
  return table(["", "median, ms", "p90, ms", `ratio to ${ways.query.label}`], rows);
}

export function rateTable({ byCallers }) {
  const rows = Object.entries(byCallers).map(([callers, { official, warm, ratio, empty }]) => [
    callers,
    ...[official, warm, ratio, empty].map(shown),
  ]);
  const ours = "hawser pool, recycled";
  return table(["callers", "official query()", ours, "ratio", "from an empty pool"], rows);
}

export function addedTable({ ways }) {
  const rows = Object.values(ways).map(({ label, before, after, sum }) => [
    label,
    ...[before, after, sum].map(shown),
  ]);
  return table(["", "before the prompt, ms", "after the result, ms", "in all, ms"], rows);
}

export function growthTable({ byCallers }) {
  const rows = Object.entries(byCallers).map(([callers, { processes, rate, p50, p99, cpuMs }]) => [
    callers,
    processes,
    ...[rate, p50, p99, cpuMs].map(withInterval),
  ]);
  const head = ["callers", "processes", "calls a second", "p50, ms", "p99, ms", "host CPU, ms"];
  return table(head, rows);
}

function withInterval({ median, interval }) {
  return `${shown(median)} [${interval.map(shown).join(", ")}]`;
}

export function figureTable(figures) {
  return table(
    ["figure", "hawser", "against", "ratio", "95 % interval", "target", "met"],
    figures.map((row) => [
      row.figure,
      shown(row.hawser),
      row.against === undefined ? "" : `${row.against} ${shown(row.other)}`,
      row.ratio?.toFixed(2) ?? "",
      intervalIn(row),
      targetOf(row),
      MET[row.verdict] ?? "",
    ]),
  );
}

const MET = { met: "yes", missed: "**no**", not_decided: "not decided" };

/** The interval of the ratio, or of the figure itself if nothing is compared. */
export function intervalIn({ ratio, interval }) {
  const text = ratio === undefined ? shown : (value) => value.toFixed(2);
  return interval.map(text).join(" to ");
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 ? "---" : "--:"));
  return [head, rule, ...rows].map(line).join("\n");
}
