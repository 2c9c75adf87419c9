import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { complete } from "../../src/complete/index.js";
import { openSession } from "../../src/session/index.js";
import { fakeCli } from "../../src/testing/index.js";

function program(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "hawser-other-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const mistaken = (path: string) => ({
  code: "cli_not_runnable",
  retryable: false,
  cliPath: path,
  message: expect.stringContaining(`${path} does not seem to be the Claude Code CLI`),
  hint: expect.stringContaining("`claude` executable"),
});

describe.skipIf(process.platform === "win32")(
  "openSession() with a program that is not the CLI",
  () => {
    it.each([
      [
        "refuses the CLI's flags",
        "a.sh",
        "#!/bin/sh\n[ $# = 1 ] && echo files && exit 0\nexit 2\n",
        2,
      ],
      ["does something else and ends well", "b.mjs", "console.log('my app 1.0');\n", 0],
      ["is a text", "c.txt", "hello\n", 127],
    ])("names the program in the error if the program %s", async (_, name, text, exitCode) => {
      const cliPath = program(name, text);
      const failure = { ...mistaken(cliPath), exitCode };
      await expect(complete("hi", { cliPath })).rejects.toMatchObject(failure);
      await expect(openSession({ cliPath })).rejects.toMatchObject(failure);
    });

    it("rejects with process_exited if the program prints a version, writes protocol lines, or dies by a signal", async () => {
      const dies = { on: "start", times: "always", do: [{ exit: 2 }] } as const;
      const speaks = [{ emit: { type: "system" } }, { exit: 2 }] as const;
      for (const scenario of [
        { version: "2.1.325", steps: [dies] },
        { version: "my claude", steps: [{ ...dies, do: speaks }] },
        { version: "my claude", steps: [{ ...dies, do: [{ die: "SIGKILL" }] as const }] },
      ]) {
        await using cli = await fakeCli(scenario);
        await expect(complete("hi", { cliPath: cli.path })).rejects.toMatchObject({
          code: "process_exited",
        });
      }
    });

    it("works with a wrapper of the CLI that prints a version of its own", async () => {
      await using cli = await fakeCli({ version: "my claude" });
      expect(await complete("hi", { cliPath: cli.path })).toMatchObject({ text: "ok" });
    });
  },
);
