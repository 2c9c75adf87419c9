/** Hooks of a settings file for the tools that a pattern fits. */
export type SettingsHookMatcher = {
  matcher?: string;
  hooks: SettingsHook[];
};

type Hook = {
  /** Only for calls that this rule fits. */
  if?: string;
  /** Seconds. */
  timeout?: number;
  statusMessage?: string;
  once?: boolean;
};

export type SettingsHook =
  | (Hook & {
      type: "command";
      command: string;
      args?: string[];
      shell?: "bash" | "powershell";
      onFailure?: "continue" | "block";
      async?: boolean;
      asyncRewake?: boolean;
    })
  | (Hook & { type: "prompt"; prompt: string; model?: string; continueOnBlock?: boolean })
  | (Hook & { type: "agent"; prompt: string; model?: string })
  | (Hook & {
      type: "http";
      url: string;
      headers?: { [name: string]: string };
      allowedEnvVars?: string[];
      onFailure?: "continue" | "block";
    })
  | (Hook & {
      type: "mcp_tool";
      server: string;
      tool: string;
      input?: { [name: string]: unknown };
    });
