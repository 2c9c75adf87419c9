import type { SDKSessionInfo } from "../../transcripts/index.js";

/**
 * Continues a session in its own folder: with a prompt like `hawser ask --agent`, else like `hawser chat`.
 * A session belongs to the folder where it began.
 */
export async function resume(
  { sessionId, cwd }: SDKSessionInfo,
  { prompt, configDir, offline, json }: ResumeOptions,
): Promise<number> {
  // Neither command has a flag for the folder; the CLI reads the variable.
  if (configDir !== undefined && !offline) process.env["CLAUDE_CONFIG_DIR"] = configDir;
  const args = [
    `--resume=${sessionId}`,
    ...(cwd === undefined ? [] : [`--cwd=${cwd}`]),
    ...(offline ? ["--offline"] : []),
    ...(json ? ["--json"] : []),
  ];
  if (prompt === "") return (await import("../chat.js")).chat.run(args);
  return (await import("../ask.js")).ask.run(["--agent", ...args, "--", prompt]);
}

export interface ResumeOptions {
  readonly prompt: string;
  readonly configDir: string | undefined;
  readonly offline: boolean;
  readonly json: boolean;
}
