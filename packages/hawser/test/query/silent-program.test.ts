import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { query } from "../../src/query/index.js";

it("query() yields no message and no error for a program that prints nothing and exits with 0, as in the official SDK", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hawser-silent-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const silent = join(folder, "silent");
  writeFileSync(silent, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const messages: unknown[] = [];
  const asked = query({ prompt: "x", options: { pathToClaudeCodeExecutable: silent } });
  const initialized = asked.initializationResult().catch((error: unknown) => error);
  for await (const message of asked) messages.push(message);
  expect(messages).toEqual([]);
  expect(await initialized).toMatchObject({ message: "Query closed before response received" });
});
