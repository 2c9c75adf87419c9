import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** All that a CLI has written down so far; an older one does so a moment later. */
export function transcriptIn(configDir: string): string {
  const projects = join(configDir, "projects");
  if (!existsSync(projects)) return "";
  const files = readdirSync(projects, { recursive: true, encoding: "utf8" });
  const transcripts = files.filter((file) => file.endsWith(".jsonl"));
  return transcripts.map((file) => readFileSync(join(projects, file), "utf8")).join();
}
