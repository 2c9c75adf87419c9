import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { findOrphans } from "hawser";
import { toolUse } from "hawser/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { aiWorld } from "../support/ai-world.js";
import { runExample } from "../support/running-example.js";

const world = aiWorld();

describe("examples/ai-sdk-tool-loop.js", () => {
  it("reads a file with a tool of the CLI, asks the registry with its own tool, and answers", async () => {
    const file = join(world.place.cwd, "package.json");
    writeFileSync(file, '{ "dependencies": { "rope": "1.0.0" } }');
    const registry = createServer((_, response) => response.end('{ "version": "2.0.0" }'));
    await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void registry.close());
    world.script(
      toolUse("Read", { file_path: file }),
      toolUse("mcp__app__newestVersion", { name: "rope" }),
      ({ toolResults }) => `rope is outdated: ${toolResults.at(-1)?.text}.`,
    );
    const { port } = registry.address() as AddressInfo;
    const env = { REGISTRY: `http://127.0.0.1:${port}` };
    const ran = await runExample(world, "ai-sdk-tool-loop.js", ["What is outdated?"], env).ended;
    expect(ran).toEqual({
      code: 0,
      stdout: "rope is outdated: 2.0.0.\n",
      stderr: `· Read {"file_path":"${file}"}\n· newestVersion {"name":"rope"}\n`,
    });
    expect(world.calls[0]?.system).toContain("Answer in one sentence.");
  });

  it("refuses a call that needs an approval, and leaves no process", async () => {
    world.script(toolUse("Bash", { command: "touch never", description: "makes" }));
    const example = runExample(world, "ai-sdk-tool-loop.js", ["Make it."]);
    const { code, stderr } = await example.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("refused: Bash\n");
    const { processes } = await findOrphans({ hostPid: example.child.pid ?? 0 });
    expect(processes).toEqual([]);
  });
});
