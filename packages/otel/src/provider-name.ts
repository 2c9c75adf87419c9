/**
 * The value of `gen_ai.provider.name` for the service that the CLI is configured to use by environment variables.
 */
export function providerName(env: Readonly<Record<string, string | undefined>>): string {
  const isSet = (name: string) => !["", "0", "false"].includes(env[name]?.toLowerCase() ?? "");
  if (isSet("CLAUDE_CODE_USE_BEDROCK")) return "aws.bedrock";
  if (isSet("CLAUDE_CODE_USE_VERTEX")) return "gcp.vertex_ai";
  return "anthropic";
}
