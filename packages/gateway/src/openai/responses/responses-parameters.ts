import { ignoredUnless, MAPPED, type ParameterTable, refused } from "../../body/parameters.js";

/** What `POST /v1/responses` does with each of its parameters. */
export const RESPONSES_PARAMETERS: ParameterTable = {
  include: MAPPED,
  input: MAPPED,
  instructions: MAPPED,
  metadata: MAPPED,
  model: MAPPED,
  parallel_tool_calls: MAPPED,
  previous_response_id: MAPPED,
  reasoning: MAPPED,
  store: MAPPED,
  stream: MAPPED,
  text: MAPPED,
  tool_choice: MAPPED,
  tools: MAPPED,

  access_programs: ignoredUnless(),
  context_management: ignoredUnless([]),
  image: ignoredUnless(),
  max_output_tokens: ignoredUnless(),
  max_tool_calls: ignoredUnless(),
  prompt_cache_key: ignoredUnless(),
  prompt_cache_options: ignoredUnless(),
  prompt_cache_retention: ignoredUnless(),
  safety_identifier: ignoredUnless(),
  service_tier: ignoredUnless("auto", "default"),
  stream_options: ignoredUnless({}, { include_obfuscation: false }),
  temperature: ignoredUnless(),
  top_p: ignoredUnless(),
  truncation: ignoredUnless("disabled"),
  user: ignoredUnless(),

  background: refused(
    "the gateway answers while the client waits. Leave it out, or stream.",
    false,
  ),
  conversation: refused("the gateway keeps no conversations. Use `previous_response_id`."),
  moderation: refused("the gateway moderates nothing. Leave it out."),
  prompt: refused("the gateway keeps no prompts. Use `instructions` and `input`."),
  top_logprobs: refused("the CLI gives no log probabilities. Leave it out.", 0),
};
