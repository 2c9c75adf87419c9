import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { complete } from "../../src/complete/index.js";
import type { Options, SandboxSettings } from "../../src/options/index.js";
import { always, toolUse } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { world } from "../support/world.js";

/** Has the model write into both folders, and tells which of the two files are there afterwards. */
async function writesOf(cliPath: string, sandbox: SandboxSettings) {
  const place = await world(cliPath, []);
  const inside = join(place.cwd, "written");
  const outside = join(place.home, "written");
  const command = `touch ${inside}; touch ${outside}`;
  place.model.add(
    always(({ toolResults }) =>
      toolResults.length === 0 ? toolUse("Bash", { command, description: "d" }) : "Done.",
    ),
  );
  const tools: Options = { tools: ["Bash"], allowedTools: ["Bash"] };
  const outcome = await complete("x", { ...place.options, ...tools, sandbox }).catch(
    (error: unknown) => error,
  );
  return {
    outcome,
    calls: place.model.calls.length,
    inside: existsSync(inside),
    outside: existsSync(outside),
  };
}

describe.each(clisInTurn())("the sandbox of the real CLI $name", ({ path }) => {
  it("keeps a command from writing outside, and runs nothing where no sandbox is available", async () => {
    const { outcome, calls, ...written } = await writesOf(path, { enabled: true });
    if (isHawserError(outcome)) {
      expect(outcome).toMatchObject({
        code: "process_exited",
        exitCode: 1,
        stderrTail: expect.stringMatching(/sandbox/i),
      });
      expect({ calls, ...written }).toEqual({ calls: 0, inside: false, outside: false });
      // Without the option that hawser adds, the same command is run unsandboxed here.
      const open = await writesOf(path, { enabled: true, failIfUnavailable: false });
      expect(open).toMatchObject({ inside: true, outside: true });
    } else {
      expect(outcome).toMatchObject({ text: "Done." });
      expect(written).toEqual({ inside: true, outside: false });
    }
  });
});
