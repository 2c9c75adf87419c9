// Writes the tables of docs/observability.md from the table of names in src/conventions.ts:
// `npm run -s build -w @hawser/otel && node packages/otel/scripts/page-tables.js`.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";

const PAGE = fileURLToPath(new URL("../../../docs/observability.md", import.meta.url));

/**
 * The page with its tables filled in. Each stands between `<!-- table: name -->` and `<!-- /table -->`.
 * @param {string} page
 * @param {typeof import("../src/conventions.js")} conventions
 */
export function withTables(page, conventions) {
  const tables = tablesOf(conventions);
  return page.replace(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- \/table -->)/g,
    (_, open, name, close) => {
      if (!(name in tables)) throw new Error(`There is no table "${name}".`);
      return `${open}\n${tables[name].join("\n")}\n\n${close}`;
    },
  );
}

function tablesOf({ SPANS, ATTRIBUTES, EVENTS, METRICS, TOKEN_METRICS, LATEST_TOKEN_METRICS }) {
  const metrics = [...TOKEN_METRICS, ...Object.values(METRICS)];
  return {
    spans: table(
      ["span", "kind", "what it is"],
      Object.values(SPANS).map(({ name, kind, meaning }) => [code(name), kind, meaning]),
    ),
    attributes: table(
      ["attribute", "on", "what it says"],
      Object.values(ATTRIBUTES)
        .filter(({ isContent }) => isContent !== true)
        .map(({ name, on, meaning }) => [code(name), on.join(", "), meaning]),
    ),
    content: table(
      ["attribute", "on", "what it holds"],
      Object.values(ATTRIBUTES)
        .filter(({ isContent }) => isContent === true)
        .map(({ name, on, meaning }) => [code(name), on.join(", "), meaning]),
    ),
    events: table(
      ["event", "on", "when", "attributes"],
      Object.values(EVENTS).map(({ name, on, meaning, attributes }) => {
        return [code(name), on, meaning, attributes.map(code).join(", ")];
      }),
    ),
    metrics: table(["metric", "kind", "unit", "what it counts", "by"], metrics.map(metricRow)),
    latest: table(
      ["metric", "kind", "unit", "what it counts", "by"],
      LATEST_TOKEN_METRICS.map(metricRow),
    ),
  };
}

function metricRow({ name, instrument, unit, meaning, attributes }) {
  return [code(name), instrument, code(unit), meaning, attributes.map(code).join(", ")];
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)];
}

function code(text) {
  return `\`${text}\``;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  // A URL, because the file exists only after the build, and the types are checked before it.
  const conventions = await import(new URL("../dist/conventions.js", import.meta.url).href);
  writeFileSync(PAGE, withTables(readFileSync(PAGE, "utf8"), conventions));
}
