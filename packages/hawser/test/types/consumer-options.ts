// Code of a program that uses the official types.
import type {
  AgentDefinition,
  CanUseTool,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInput,
  HookJSONOutput,
  McpServerConfig,
  ModelInfo,
  Options,
  PermissionMode,
  PermissionResult,
  PermissionUpdate,
  PreToolUseHookInput,
  Query,
  SDKUserMessage,
  Settings,
  WarmQuery,
} from "../../src/index.js";

const guard: HookCallback = async (input, toolUseID, { signal }) => {
  if (input.hook_event_name !== "PreToolUse") return {};
  if (signal.aborted || toolUseID === undefined) return { continue: false };
  const { command } = input.tool_input as { command?: string };
  if (command?.includes("rm -rf")) {
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "no",
      },
    };
  }
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
};

async function log(input: HookInput): Promise<HookJSONOutput> {
  const event: HookEvent = input.hook_event_name;
  return { systemMessage: event };
}

const byEvent: Partial<Record<HookEvent, HookCallbackMatcher[]>> = {
  PreToolUse: [{ matcher: "Bash", hooks: [guard], timeout: 5 }],
  Stop: [{ hooks: [log] }],
};
byEvent.PostToolUse = [{ hooks: [guard, log] }];

export const canUseTool: CanUseTool = async (toolName, input, { suggestions, signal }) => {
  if (signal.aborted) return { behavior: "deny", message: "aborted", interrupt: true };
  if (toolName === "Read") return { behavior: "allow", updatedInput: input };
  const inSession: PermissionUpdate[] = (suggestions ?? []).map((each) => ({
    ...each,
    destination: "session",
  }));
  return { behavior: "allow", updatedInput: { ...input }, updatedPermissions: inSession };
};

const agents: Record<string, AgentDefinition> = {
  reviewer: { description: "reviews", prompt: "review", tools: ["Read"], model: "sonnet" },
};
const tools: string[] = agents["reviewer"]?.tools ?? [];

const servers: Record<string, McpServerConfig> = {
  files: { command: "node", args: ["server.js"], env: { A: "b" } },
  web: { type: "http", url: "https://localhost", headers: { Authorization: "x" } },
};

// Options can be put together step by step.
export function build(resume: string | undefined, mode: PermissionMode): Options {
  const options: Options = {
    cwd: "/tmp",
    model: "claude-sonnet-5",
    allowedTools: [...tools, "Bash(git:*)"],
    systemPrompt: { type: "preset", preset: "claude_code", append: "Be brief." },
    settingSources: ["project"],
    mcpServers: servers,
    agents,
    hooks: byEvent,
    canUseTool,
    stderr: (data: string) => void data,
    env: { ...process.env, A: "b" },
    abortController: new AbortController(),
  };
  if (resume !== undefined) options.resume = resume;
  options.permissionMode = mode;
  options.allowedTools?.push("Read");
  options.maxTurns ??= 5;
  if (options.env) options.env["B"] = "c";
  return options;
}

// Each callback gets the input of its event.
export const typed: Options = {
  hooks: {
    PreToolUse: [
      {
        hooks: [
          async (input) => {
            const same: PreToolUseHookInput = input;
            return { reason: same.tool_name };
          },
          (input) => ({ reason: input.tool_use_id }),
          guard,
          log,
        ],
      },
    ],
    UserPromptSubmit: [{ hooks: [(input) => void input.prompt.length, async () => {}] }],
    Stop: [{ hooks: [async (input) => ({ continue: !input.stop_hook_active })] }],
    SessionEnd: [{ hooks: [async ({ reason }) => ({ systemMessage: reason })] }],
    FileChanged: [
      {
        hooks: [
          async ({ file_path }) => ({
            hookSpecificOutput: { hookEventName: "FileChanged", watchPaths: [file_path] },
          }),
        ],
      },
    ],
    PostToolUse: [
      {
        hooks: [
          // @ts-expect-error: no hook of this event has a prompt
          async (input) => ({ reason: input.prompt }),
        ],
      },
    ],
  },
};

export const misspelt: Options = {
  // @ts-expect-error: there is no such event
  hooks: { PreTooluse: [{ hooks: [guard] }] },
};

// A callback may return its answer without a promise.
export const plain: Options = {
  canUseTool: (_tool, input) => ({ behavior: "allow", updatedInput: input }),
  rules: [{ tool: "Bash", input: { command: "ls" }, decision: "allow" }],
};

export const decided = (result: PermissionResult): string =>
  result.behavior === "deny" ? result.message : JSON.stringify(result.updatedInput ?? {});

export const settings: Settings = {
  permissions: { allow: ["Read"], deny: ["Bash"], defaultMode: "plan" },
  env: { A: "b" },
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] },
  sandbox: { enabled: true, network: { allowedDomains: ["localhost"] } },
  somethingNew: { of: ["a", "newer", "CLI"] },
};

export async function control(run: Query, warm: WarmQuery): Promise<ModelInfo[]> {
  await run.setPermissionMode("acceptEdits");
  await run.setModel("opus");
  await run.applyFlagSettings({ effortLevel: "max", model: null });
  await run.setMcpServers(servers);
  const receipt = await run.interrupt();
  const queued: string[] = receipt?.still_queued ?? [];
  const usage = await run.getContextUsage();
  const statuses = await run.mcpServerStatus();
  const failed: string[] = statuses
    .filter((each) => each.status === "failed")
    .map((each) => each.name);
  const rewound = await run.rewindFiles(queued[0] ?? "", { dryRun: true });
  if (!rewound.canRewind) throw new Error(`${rewound.error} ${usage.percentage} ${failed}`);
  await using next = warm.query(oneMore());
  const first = await next.next();
  if (first.done !== true) await run.streamInput(oneMore());
  run.close();
  return run.supportedModels();
}

async function* oneMore(): AsyncGenerator<SDKUserMessage> {}
