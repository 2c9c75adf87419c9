import { ignoredUnless, MAPPED, type ParameterTable, refused } from "../body/parameters.js";

/** What `POST /v1/messages` does with each of its parameters. */
export const MESSAGES_PARAMETERS: ParameterTable = {
  messages: MAPPED,
  model: MAPPED,
  output_config: MAPPED,
  output_format: MAPPED,
  stop_sequences: MAPPED,
  stream: MAPPED,
  system: MAPPED,
  thread: MAPPED,
  thinking: MAPPED,
  tool_choice: MAPPED,
  tools: MAPPED,

  cache_control: ignoredUnless(),
  context_management: ignoredUnless(),
  inference_geo: ignoredUnless(),
  max_tokens: ignoredUnless(),
  metadata: ignoredUnless({}),
  service_tier: ignoredUnless("auto"),
  speed: ignoredUnless("standard"),
  temperature: ignoredUnless(1),
  top_k: ignoredUnless(),
  top_p: ignoredUnless(),

  container: refused("the gateway has no containers. Leave it out."),
  mcp_servers: refused(
    "the gateway does not connect to MCP servers for a client. Leave it out, and pass their tools as `tools`.",
    [],
  ),
};
