import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** What a fake CLI does not do: a session that is written down, and the environment that finds it. */
export async function writtenSession(): Promise<{
  readonly sessionId: string;
  readonly env: Readonly<Record<string, string>>;
}> {
  const configDir = await mkdtemp(join(tmpdir(), "hawser-config-"));
  onTestFinished(() => rm(configDir, { recursive: true, force: true }));
  const sessionId = randomUUID();
  const folder = join(configDir, "projects", "-somewhere");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${sessionId}.jsonl`), `${JSON.stringify({ type: "user" })}\n`);
  return { sessionId, env: { CLAUDE_CONFIG_DIR: configDir } };
}
