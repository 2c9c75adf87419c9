// The recorded scenarios: a `script` for the model, and a host program that each SDK can run. Each has
// two turns.

import { toolUse } from "hawser/testing";
import { z } from "zod";
import { converse, plain } from "../observe.js";

const touch = (name) => toolUse("Bash", { command: `touch ${name}`, description: "make a file" });

export const scenarios = {
  "two turns": {
    script: ["first", "second"],
    run: (sdk, options) => converse(sdk, options, "one", "two"),
  },

  "partial messages": {
    script: ["first", "second"],
    run: (sdk, options) =>
      converse(sdk, { ...options, includePartialMessages: true }, "one", "two"),
  },

  "a permission callback and a tool": {
    script: [touch("made"), "first", touch("refused"), "second"],
    async run(sdk, options) {
      const asked = [];
      const canUseTool = async (name, input) => {
        asked.push(plain([name, input]));
        if (asked.length === 2) return { behavior: "deny", message: "not again" };
        return { behavior: "allow", updatedInput: input };
      };
      const seen = await converse(sdk, { ...options, canUseTool }, "one", "two");
      return { ...seen, asked };
    },
  },

  "hooks and a tool of the host's own": {
    script: [toolUse("mcp__knots__tie", { rope: "red" }), "first", "second"],
    async run(sdk, options) {
      const called = [];
      const note = async (input) => {
        called.push([input.hook_event_name, input.tool_name ?? null, input.cwd]);
        return {};
      };
      const tie = sdk.tool("tie", "ties", { rope: z.string() }, async ({ rope }) => {
        called.push(["tie", rope]);
        return { content: [{ type: "text", text: "tied" }] };
      });
      const seen = await converse(
        sdk,
        {
          ...options,
          mcpServers: { knots: sdk.createSdkMcpServer({ name: "knots", tools: [tie] }) },
          allowedTools: ["mcp__knots__tie"],
          hooks: {
            PreToolUse: [{ matcher: "mcp__knots__tie", hooks: [note] }],
            PostToolUse: [{ hooks: [note] }],
            UserPromptSubmit: [{ hooks: [note] }],
          },
        },
        "one",
        "two",
      );
      return { ...seen, called };
    },
  },

  "requests between the turns": {
    script: ["first", "second"],
    run: (sdk, options) =>
      converse(
        sdk,
        options,
        "one",
        (query) => query.setPermissionMode("acceptEdits"),
        (query) => query.setModel("claude-sonnet-4-5"),
        async (query) => (await query.mcpServerStatus()).length,
        "two",
      ),
  },
};
