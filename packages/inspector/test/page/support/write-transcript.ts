import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** One line of a transcript: who says it, and its content. */
export interface Line {
  readonly type: "user" | "assistant";
  readonly content: unknown;
}

/** Writes a transcript in the format of the CLI, as a session of the project `/work`. */
export function writeTranscript(
  configDir: string,
  sessionId: string,
  lines: readonly Line[],
  more: Readonly<Record<string, unknown>> = {},
): void {
  const folder = join(configDir, "projects", "-work");
  mkdirSync(folder, { recursive: true });
  const text = lines.map(({ type, content }, index) =>
    JSON.stringify({
      type,
      uuid: uuid(index),
      parentUuid: index === 0 ? null : uuid(index - 1),
      message: { role: type, content, ...(type === "assistant" && assistantFacts(index)) },
      timestamp: new Date(Date.UTC(2026, 0, 2) + index * 1000).toISOString(),
      sessionId,
      cwd: "/work",
      gitBranch: "main",
      isSidechain: false,
      userType: "external",
      version: "2.1.325",
      ...more,
    }),
  );
  writeFileSync(join(folder, `${sessionId}.jsonl`), `${text.join("\n")}\n`);
}

function uuid(index: number): string {
  return `00000000-0000-4000-9000-${String(index).padStart(12, "0")}`;
}

function assistantFacts(index: number): object {
  return {
    id: `msg_${index}`,
    model: "claude-sonnet",
    usage: { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 1000 },
  };
}
