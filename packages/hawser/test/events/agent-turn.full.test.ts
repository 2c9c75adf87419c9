import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import { openSession } from "../../src/session/index.js";
import { text, toolUse } from "../../src/testing/index.js";
import { CLIS } from "../support/cli.js";
import { world } from "../support/world.js";
import { goldenText } from "./golden-events.helper.js";
import { unpaired, watchEvents } from "./watched-events.helper.js";

const look = tool("look", "Looks.", { at: z.string() }, async ({ at }) => ({
  content: [{ type: "text", text: `Seen: ${at}` }],
}));
const broken = tool("broken", "Fails.", {}, async () => {
  throw new Error("It is broken.");
});

const AGENT = {
  description: "look",
  prompt: "Look at the mast.",
  subagent_type: "general-purpose",
  run_in_background: false,
};

describe.each(CLIS)("the events of a turn on CLI $name", ({ path }) => {
  /** `npx vitest run packages/hawser/test/events/agent-turn.full.test.ts -u` writes the file anew. */
  it("are those of the golden file: a sub-agent, two tools, one denied, one failed", async () => {
    const { options } = await world(path, [
      toolUse("Agent", AGENT),
      toolUse("mcp__ship__look", { at: "mast" }),
      text("The mast stands."),
      [toolUse("Bash", { command: "rm -rf mast" }), toolUse("mcp__ship__broken", {})],
      text("Done."),
    ]);
    const seen = watchEvents();
    const session = await openSession({
      ...options,
      model: "claude-sonnet-4-5-20250929",
      mcpServers: {
        ship: createSdkMcpServer({ name: "ship", tools: [look, broken], alwaysLoad: true }),
      },
      allowedTools: ["mcp__ship", "Agent"],
      canUseTool: async () => ({ behavior: "deny", message: "Keep the mast." }),
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    expect(await session.send("Check the ship.").text()).toBe("Done.");
    await session.close();
    expect(unpaired(seen)).toEqual([]);
    await expect(goldenText(seen)).toMatchFileSnapshot("./agent-turn.golden.txt");
  });
});
