import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { REPOSITORY } from "../support/folders.js";
import { GUIDES, prose, readPage } from "./page.helper.js";

const run = promisify(execFile);

/** These are written as a whole by the programs that measure. */
const GENERATED = ["docs/benchmarks.md", "docs/capacity.md", "docs/reliability.md"];
const WRITTEN = GUIDES.filter((page) => !GENERATED.includes(page));

describe("figures of the benchmarks", () => {
  it("on every page are those of bench/results.json: `npm run figures` changes nothing", async () => {
    const { stdout } = await run(process.execPath, ["bench/pages.js", "--check"], {
      cwd: REPOSITORY,
    });
    expect(stdout).toBe("");
  });

  it("on every page follow bench/results.json when it changes", async () => {
    const root = copyOfPages();
    const results = JSON.parse(readFileSync(join(REPOSITORY, "bench/results.json"), "utf8"));
    await fill(root, timesThousand(results));
    for (const page of WRITTEN) {
      const quotes = marksIn(readFileSync(join(root, page), "utf8"));
      const before = marksIn(readPage(page));
      expect(quotes.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
      for (const [i, { name, text }] of quotes.entries()) {
        expect({ page, name, text }).not.toMatchObject({ text: before[i]?.text });
      }
    }
    expect(readFileSync(join(root, "docs/benchmarks.md"), "utf8")).not.toBe(
      readPage("docs/benchmarks.md"),
    );
  });

  it("are marked wherever a page quotes them", () => {
    expect(WRITTEN.flatMap((page) => typedByHand(page, readPage(page)))).toEqual([]);
    const quoting = WRITTEN.filter((page) => marksIn(readPage(page)).length > 0);
    expect(quoting).toEqual(expect.arrayContaining(["README.md", "docs/architecture.md"]));
  });

  it("by a name that the results do not have are an error", async () => {
    const root = copyOfPages();
    writeFileSync(join(root, "README.md"), "<!-- bench: call.nothing -->1<!-- /bench -->");
    const results = JSON.parse(readFileSync(join(REPOSITORY, "bench/results.json"), "utf8"));
    await expect(fill(root, results)).rejects.toThrow('nothing that is called "call.nothing"');
  });
});

describe("a figure that is typed by hand", () => {
  it.each([
    "A pool answers after 40 ms.",
    "It takes 523.9 ms.",
    "An event costs 5.2 µs.",
    "It reads 185 MB/s.",
    "It answers 35 calls a second.",
    "A process takes 150 to 350 MB of memory.",
    "| calls a second, 4 callers | 35 | 3 | – |",
    "A streamed event costs 0.95 of the official SDK's time.",
    "A streamed event costs about as much processor time as with the official SDK.",
    "It needs about three quarters of what the official SDK needs.",
    "It is twice as fast as the official SDK.",
    "It is slower than `startup()` there: [benchmarks.md](benchmarks.md).",
  ])("is found: %s", (text) => {
    expect(typedByHand("x.md", `First.\n\n${text}\n`)).toEqual([`x.md:3 ${text}`]);
  });

  it.each([
    "A pool answers after <!-- bench: call.recycled -->40<!-- /bench --> ms.",
    "The ratio to the official SDK is <!-- bench: event-cpu.ratio -->0.95<!-- /bench -->.",
    "The official SDK leaves 6 of 6 processes.",
    "The official SDK needs the CLI 2.1.47.",
    "`timeouts: { bootMs: 500 }` waits.",
    "A prompt of 12 MB is refused.",
  ])("is not reported in: %s", (text) => {
    expect(typedByHand("x.md", text)).toEqual([]);
  });
});

it("every figure that a page quotes of the reliability tests stands on their page", () => {
  const measured = readPage("docs/reliability.md");
  const quoted = ["README.md", "docs/from-the-agent-sdk.md"].flatMap((page) =>
    prose(readPage(page)).flatMap((text) => text.match(/\d+(?= (?:of \d|runs\b|steps\b))/g) ?? []),
  );
  expect(quoted.length).toBeGreaterThan(1);
  for (const figure of quoted) expect(measured).toMatch(new RegExp(`\\b${figure}\\b`));
});

interface Mark {
  readonly name: string;
  readonly text: string;
}

function marksIn(source: string): Mark[] {
  return [...source.matchAll(MARK)].map(([, name = "", text = ""]) => ({ name, text }));
}

const MARK = /<!-- bench: (\S+) -->([^<]*)<!-- \/bench -->/g;

/** The lines of a page that hold a figure of the bench, or a comparison, outside of a mark. */
function typedByHand(page: string, source: string): string[] {
  const found: string[] = [];
  // In place of its number, so that the words around it stay together.
  for (const [line, text] of prose(source.replace(MARK, "_")).entries()) {
    const words = text.replace(/`[^`]*`/g, (code) => (/^`startup\(\)`$/.test(code) ? code : "_"));
    const compares = ABOUT_THE_BENCH.test(words) && (RATIO.test(words) || VAGUE.test(words));
    if (FIGURE.test(words) || RATE_ROW.test(words) || MEMORY.test(words) || compares) {
      found.push(`${page}:${line} ${text}`);
    }
  }
  return found;
}

const FIGURE = /\d ?(?:ms|µs|MB\/s|calls a second)\b/;
const RATE_ROW = /^\| calls a second.*\| *\d/;
const MEMORY = /process takes[^.]*\d ?MB/;
const ABOUT_THE_BENCH = /official SDK|startup\(\)|benchmarks\.md/;
const RATIO = /(?<![\d.])\d\.\d\d?(?!\.?\d)\b/;
const VAGUE =
  /\babout as (?:much|fast)|\b(?:three )?quarters?\b|\b(?:twice|half|third|times) (?:as|of|the)\b|\b(?:faster|slower|quicker) than\b/;

function copyOfPages(): string {
  const root = mkdtempSync(join(tmpdir(), "figures-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  cpSync(join(REPOSITORY, "README.md"), join(root, "README.md"));
  cpSync(join(REPOSITORY, "docs"), join(root, "docs"), { recursive: true });
  return root;
}

/** As the bench does at its end. */
async function fill(root: string, results: unknown): Promise<void> {
  const pages = pathToFileURL(join(REPOSITORY, "bench/pages.js")).href;
  const program = `
    const { writePages } = await import(${JSON.stringify(pages)});
    const root = new URL(${JSON.stringify(`${pathToFileURL(root).href}/`)});
    await writePages(${JSON.stringify(results)}, { root });`;
  await run(process.execPath, ["--input-type=module", "-e", program]);
}

/** Every number, so that no quote stays what it was. */
function timesThousand(value: unknown): unknown {
  if (typeof value === "number") return value * 1000;
  if (Array.isArray(value)) return value.map(timesThousand);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, timesThousand(it)]));
}
