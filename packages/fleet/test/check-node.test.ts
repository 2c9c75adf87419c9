import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { checkNode } from "../src/check-node.js";

/** The machine's own Node, if it is too old for the fleet. */
function oldNode(): string | undefined {
  try {
    const version = execFileSync("node", ["--version"], { encoding: "utf8" });
    return Number.parseInt(version.slice(1), 10) < 22 ? "node" : undefined;
  } catch {
    return undefined;
  }
}

describe("checkNode()", () => {
  it.each(["22.12.0", "22.23.3", "23.0.0", "24.1.0"])("accepts Node %s", (version) => {
    expect(() => checkNode(version)).not.toThrow();
  });

  it.each(["18.20.0", "20.19.5", "22.11.0"])("refuses Node %s with not_supported", (version) => {
    expect(() => checkNode(version)).toThrow(
      expect.objectContaining({
        code: "not_supported",
        message: expect.stringContaining(`needs Node 22.12, and this is Node ${version}`),
      }),
    );
  });

  it.runIf(oldNode() !== undefined)(
    "is what openFleet() says on an old Node, which can import the package",
    () => {
      const program = `
      import { openFleet } from "@hawser/fleet";
      openFleet({ database: ":memory:" }).catch(({ code, message }) => console.log(code, message));
    `;
      const { stdout, stderr } = spawnSync("node", ["--input-type=module", "-e", program], {
        encoding: "utf8",
        cwd: import.meta.dirname,
      });
      expect({ stdout, stderr }).toEqual({
        stdout: expect.stringMatching(/^not_supported @hawser\/fleet needs Node 22\.12/),
        stderr: "",
      });
    },
  );
});
