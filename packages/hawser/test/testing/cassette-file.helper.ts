import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export type Entry = Readonly<Record<string, unknown>>;

/** A path in a folder of its own, which is removed when the test is over. */
export async function ownPath(name = "cassette.jsonl"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hawser-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, name);
}

export async function ownFile(text: string, name?: string): Promise<string> {
  const path = await ownPath(name);
  await writeFile(path, text);
  return path;
}

export const HEADER: Entry = { cassette: 1, cli: "2.1.325 (Claude Code)", by: "a test" };

/** A cassette of one take for each list of entries; `take` and `ms` are added. */
export function cassette(...takes: readonly (readonly Entry[])[]): Promise<string> {
  const entries = takes.flatMap((take, index) =>
    take.map((entry) => ({ take: index + 1, ms: 0, ...entry })),
  );
  return ownFile([HEADER, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

export async function entriesOf(file: string): Promise<readonly Entry[]> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n").slice(1);
  return lines.map((line) => JSON.parse(line) as Entry);
}

export const start = (...argv: readonly string[]): Entry => ({ kind: "start", argv, env: [] });
export const sent = (json: unknown): Entry => ({ kind: "in", json });
export const printed = (json: unknown): Entry => ({ kind: "out", json });
export const eof: Entry = { kind: "eof" };
export const exit = (code: number | null, signal: string | null = null): Entry => ({
  kind: "exit",
  code,
  signal,
});
