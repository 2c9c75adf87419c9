import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { allowRule, deniedCallLines } from "../../src/bin/turn/denied-calls.js";
import { complete } from "../../src/complete/index.js";
import { type ReplyInput, toolUse } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";

/** A call, and another one that its rule must not permit. Paths are below the folder of the world. */
export interface Pair {
  readonly tool: string;
  readonly call: Record<string, unknown>;
  readonly other: Record<string, unknown>;
}

const pair = (tool: string, call: Pair["call"], other: Pair["other"]): Pair => ({
  tool,
  call,
  other,
});

const notebook = (name: string) => ({
  notebook_path: `work/${name}`,
  new_source: "2",
  cell_id: "a",
});

const watch = (command: string) => ({ command, description: "x", timeout_ms: 60_000 });

export const PAIRS: readonly Pair[] = [
  pair("Bash", { command: "touch a.txt" }, { command: "touch a.txt b.txt" }),
  pair(
    "Bash",
    { command: "touch \"it's (1).txt\" && touch 'b,c.txt'; touch d.txt" },
    { command: "touch d.txt" },
  ),
  pair("Bash", { command: "touch $(echo e.txt)" }, { command: "touch $(echo f.txt)" }),
  pair("Monitor", watch("touch a.txt"), watch("touch b.txt")),
  pair(
    "Write",
    { file_path: "work/a[1]!#.txt", content: "x" },
    { file_path: "work/a1!#.txt", content: "x" },
  ),
  pair(
    "Write",
    { file_path: "work/a b (1).txt", content: "x" },
    { file_path: "work/a b (2).txt", content: "x" },
  ),
  pair("NotebookEdit", notebook("a.ipynb"), notebook("b.ipynb")),
  pair("Read", { file_path: "home/a.txt" }, { file_path: "home/b.txt" }),
  pair("Read", { file_path: "~/a.txt" }, { file_path: "home/b.txt" }),
  pair("Grep", { pattern: "x", path: "home/a" }, { pattern: "x", path: "home/b" }),
  pair("Glob", { pattern: "home/a/x*" }, { pattern: "home/b/x*" }),
  pair("Glob", { pattern: "s/*", path: "home/a" }, { pattern: "s/*", path: "home/b" }),
  // An address without a dot: the CLI looks it up nowhere.
  pair(
    "WebFetch",
    { url: "http://[::1]:9/", prompt: "x" },
    { url: "http://[::2]:9/", prompt: "x" },
  ),
];

/**
 * Lets the model make the calls of these pairs. First none is permitted, then each pair's first call is
 * permitted by its rule; the second ones must still be refused.
 */
export async function expectNarrowRules(pairs: readonly Pair[]): Promise<void> {
  // The CLI may begin a turn by itself when a background command of Monitor ends.
  const replies: ReplyInput[] = [];
  const last = pairs.some(({ tool }) => tool === "Monitor") ? "Done." : undefined;
  const { cwd, options } = await world(NEWEST_CLI, () => replies.shift() ?? last);
  const root = dirname(cwd);
  const calls = pairs.map(({ tool, call }) => ({ tool, input: placed(call, root) }));
  const others = pairs.map(({ tool, other }) => ({ tool, input: placed(other, root) }));

  const refused = async (made: typeof calls, allowedTools: string[]) => {
    for (const { tool, input } of made) {
      const path = input["notebook_path"];
      if (path !== undefined) {
        writeFileSync(String(path), JSON.stringify(NOTEBOOK));
        replies.push(toolUse("Read", { file_path: path }));
      }
      replies.push(toolUse(tool, input));
    }
    replies.push("Done.");
    const tools = [...new Set(["Read", ...made.map(({ tool }) => tool)])];
    return (await complete("Do it.", { ...options, tools, allowedTools })).permissionDenials;
  };

  const denials = await refused(calls, []);
  expect(denials.map(({ tool_name }) => tool_name)).toEqual(calls.map(({ tool }) => tool));
  const rules = denials.map((denial) => {
    const lines = deniedCallLines([denial], { cwd, denied: [] });
    expect(lines).toEqual([expect.stringContaining("--allow")]);
    return allowRule(denial.tool_name, { ...Object(denial.tool_input) }, cwd) ?? "";
  });
  const both = calls.flatMap((call, i) => [call, others[i] ?? call]);
  expect(await refused(both, rules)).toEqual(
    others.map(({ tool, input }) =>
      expect.objectContaining({ tool_name: tool, tool_input: expect.objectContaining(input) }),
    ),
  );
  expect(replies).toEqual([]);
}

const NOTEBOOK = {
  cells: [
    { id: "a", cell_type: "code", source: "1", metadata: {}, outputs: [], execution_count: null },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
};

/** The input with its paths below a folder. */
function placed(input: Pair["call"], root: string): Pair["call"] {
  const entries = Object.entries(input).map(([name, value]) => {
    const isPath = typeof value === "string" && /^(?:work|home)\//.test(value);
    return [name, isPath ? join(root, value) : value];
  });
  return Object.fromEntries(entries);
}
