import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty configuration folder for one test. */
export async function emptyConfig(): Promise<string> {
  const configDir = await mkdtemp(join(tmpdir(), "hawser-transcripts-"));
  onTestFinished(() => rm(configDir, { recursive: true, force: true }));
  mkdirSync(join(configDir, "projects"));
  return configDir;
}

export function sessionId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** Writes a transcript of the project "-work". Strings are written unchanged as lines. */
export function writeTranscript(configDir: string, id: string, lines: readonly unknown[]): string {
  const folder = join(configDir, "projects", "-work");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${id}.jsonl`);
  const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(path, text.map((line) => `${line}\n`).join(""));
  return path;
}

export function entry(type: string, n: number, parent: number | null, more = {}): object {
  return {
    type,
    uuid: `u${n}`,
    parentUuid: parent === null ? null : `u${parent}`,
    message: { role: type, content: `${type} ${n}` },
    timestamp: new Date(Date.UTC(2026, 0, 2) + n).toISOString(),
    cwd: "/work",
    sessionId: "s",
    gitBranch: "main",
    isSidechain: false,
    ...more,
  };
}
