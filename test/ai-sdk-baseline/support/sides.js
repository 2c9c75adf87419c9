// The two providers that run the same programs.

/**
 * @typedef {object} Place Where the CLI runs. Without `env`, the provider decides what the CLI inherits.
 * @property {string} cli
 * @property {string} cwd
 * @property {Record<string, string>} [env]
 * @property {readonly string[]} [inheritEnv] Only for Hawser.
 */

export const SIDES = {
  hawser: {
    label: "@hawser/ai-sdk",
    /** @param {Place} place */
    async open({ cli, cwd, env, inheritEnv }) {
      const { createHawser } = await import("@hawser/ai-sdk");
      const provider = createHawser({
        cliPath: cli,
        cwd,
        ...(env === undefined ? {} : { env, inheritEnv: false }),
        ...(inheritEnv === undefined ? {} : { inheritEnv }),
      });
      return {
        model: () => provider("sonnet"),
        agent: (settings = {}) => provider.agent("sonnet", settings),
        close: () => provider.close(),
      };
    },
  },

  claudeCode: {
    label: "ai-sdk-provider-claude-code",
    /** @param {Place} place */
    async open({ cli, cwd, env }) {
      const { createClaudeCode, createAiSdkMcpServer } = await import(
        "ai-sdk-provider-claude-code"
      );
      const defaultSettings = {
        pathToClaudeCodeExecutable: cli,
        cwd,
        ...(env === undefined ? {} : { env }),
      };
      const provider = createClaudeCode({ defaultSettings });
      return {
        model: () => provider("sonnet"),
        agent: (settings = {}) => provider("sonnet", settings),
        /** Its documented way for tools of the AI SDK. */
        withTools: (tools) =>
          provider("sonnet", {
            mcpServers: { app: createAiSdkMcpServer("app", tools) },
            allowedTools: Object.keys(tools).map((name) => `mcp__app__${name}`),
          }),
        close: async () => {},
      };
    },
  },
};
