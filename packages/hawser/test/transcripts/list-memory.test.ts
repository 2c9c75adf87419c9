import { execFile } from "node:child_process";
import { ftruncateSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { FULL } from "../support/cli.js";
import { emptyConfig, entry, sessionId } from "./transcript-files.helper.js";

const SESSIONS = FULL ? 10_000 : 2_000;
const LIMIT = 50 * 1024 * 1024;

it(`listSessions() lists ${SESSIONS} sessions, some of 20 MB, with less than 50 MB of memory`, async () => {
  const configDir = await emptyConfig();
  writeSessions(join(configDir, "projects"));
  const program = await measuringProgram(configDir);
  const { stdout } = await promisify(execFile)(process.execPath, [program, configDir]);
  const { count, grown } = JSON.parse(stdout);
  expect(count).toBe(SESSIONS);
  expect(grown).toBeLessThan(LIMIT);
});

/** Some prompts of 40 KB, so that a list that keeps whole prompts exceeds the limit. */
function writeSessions(projects: string): void {
  const prompt = (content: string) =>
    `${JSON.stringify(entry("user", 1, null, { message: { content } }))}\n`;
  const [long, short] = [prompt("a long prompt ".repeat(3000)), prompt("a prompt ".repeat(12))];
  const end = `${JSON.stringify({ type: "custom-title", customTitle: "t".repeat(50) })}\n`;
  for (let n = 0; n < SESSIONS; n++) {
    const folder = join(projects, `-project-${n % 20}`);
    if (n < 20) mkdirSync(folder);
    const path = join(folder, `${sessionId(n)}.jsonl`);
    const start = n % 10 === 0 ? long : short;
    if (n % 100 !== 0) {
      writeFileSync(path, start + end);
      continue;
    }
    const file = openSync(path, "w");
    writeSync(file, start);
    ftruncateSync(file, 20_000_000); // A hole takes no time to write, and must not be read.
    writeSync(file, `\n${end}`, 20_000_000);
  }
}

/** A separate program, so that only the list is measured. */
async function measuringProgram(folder: string): Promise<string> {
  const index = fileURLToPath(new URL("../../src/transcripts/index.ts", import.meta.url));
  const bundle = await rolldown({
    input: index,
    platform: "node",
    external: /^node:/,
    resolve: { extensionAlias: { ".js": [".ts"] } },
  });
  await bundle.write({
    file: join(folder, "transcripts.mjs"),
    format: "esm",
    codeSplitting: false,
  });
  const program = join(folder, "measure.mjs");
  writeFileSync(
    program,
    `import { listSessions } from "./transcripts.mjs";
     const before = process.memoryUsage.rss();
     const sessions = await listSessions({ configDir: process.argv[2] });
     const grown = process.resourceUsage().maxRSS * 1024 - before;
     console.log(JSON.stringify({ count: sessions.length, grown }));`,
  );
  return program;
}
