import {
  HarnessCapabilityUnsupportedError,
  type HarnessV1,
  type HarnessV1Session,
  type HarnessV1StartOptions,
} from "@ai-sdk/harness";
import { BUILTIN_TOOLS, type BuiltinTools } from "./builtin-tools.js";
import { Conversation, PARK_MS } from "./conversation.js";
import type { HawserHarnessOptions } from "./harness-options.js";
import { encodeData, LIFECYCLE_SCHEMA, type LifecycleData } from "./lifecycle-data.js";
import { LocalWorkspaceSession } from "./local-workspace-session.js";
import { park, unpark } from "./parking.js";

/**
 * The CLI as the harness of a `HarnessAgent`, on this machine. It needs no sandbox service: `localWorkspace()` names the
 * folder. The agent's `tools` are called by the model and run in your program. The CLI's own tools run in the CLI, and
 * are asked about by `permissionMode`.
 *
 * A session that was detached or suspended keeps its process for `parkMs`. Another program, or the same one later,
 * continues it by the CLI's transcript.
 *
 * @example
 * ```ts
 * import { HarnessAgent } from "@ai-sdk/harness/agent";
 * import { hawserHarness, localWorkspace } from "@hawser/ai-sdk/harness";
 *
 * const agent = new HarnessAgent({
 *   harness: hawserHarness({ model: "sonnet" }),
 *   ...localWorkspace("/srv/project"),
 * });
 * const session = await agent.createSession();
 * try {
 *   const { text } = await agent.generate({ session, prompt: "Which tests are slow?" });
 *   console.log(text);
 * } finally {
 *   await session.destroy();
 * }
 * ```
 */
export function hawserHarness(options: HawserHarnessOptions = {}): HarnessV1<BuiltinTools> {
  const parkMs = Math.min(options.parkMs ?? PARK_MS, LONGEST_MS);
  return {
    specificationVersion: "harness-v1",
    harnessId: HARNESS_ID,
    builtinTools: BUILTIN_TOOLS,
    supportsBuiltinToolApprovals: true,
    supportsBuiltinToolFiltering: true,
    lifecycleStateSchema: LIFECYCLE_SCHEMA,
    doStart: async (start) => startSession({ ...options, parkMs }, start),
  };
}

const HARNESS_ID = "hawser";

/** The longest time of a timer of Node, 24 days. A longer timer would end at once. */
const LONGEST_MS = 2 ** 31 - 1;

function startSession(
  options: HawserHarnessOptions,
  start: HarnessV1StartOptions,
): HarnessV1Session {
  const { sessionId, sandboxSession, abortSignal, continueFrom, resumeFrom } = start;
  abortSignal?.throwIfAborted();
  if (!(sandboxSession instanceof LocalWorkspaceSession) && options.cwd === undefined) {
    throw new HarnessCapabilityUnsupportedError({
      harnessId: HARNESS_ID,
      message:
        "hawserHarness() runs the CLI on this machine, and not in a sandbox. Use localWorkspace(), or set the option `cwd`.",
    });
  }
  const state = continueFrom ?? resumeFrom;
  const data = (state?.data ?? {}) as LifecycleData;
  const parked = unpark(data.live);
  parked?.rebind(start);
  const conversation = parked ?? new Conversation(options, start, data.conversation);
  // The agent stops the workspace also where it does not stop the session: at `stop()` during a turn.
  const forget =
    sandboxSession instanceof LocalWorkspaceSession
      ? sandboxSession.onStop(() => conversation.close())
      : () => {};
  const stateOf = (extra: LifecycleData = {}) => ({
    harnessId: HARNESS_ID,
    specificationVersion: "harness-v1" as const,
    data: encodeData({ ...conversation.data, ...extra }),
  });
  const parkIfOpen = (): LifecycleData => {
    if (!conversation.isOpen) return {};
    park(conversation, options.parkMs ?? PARK_MS);
    return { live: conversation.key };
  };
  return {
    sessionId,
    isResume: state !== undefined,
    doPromptTurn: (turn) => conversation.promptTurn(turn),
    doContinueTurn: (turn) => {
      unpark(conversation.key);
      return conversation.continueTurn(turn, continueFrom, data.questions ?? []);
    },
    doCompact: (instructions) => conversation.compact(instructions),
    async doSuspendTurn() {
      const { questions } = conversation;
      conversation.leaveTurn();
      await conversation.whenResumable();
      return { type: "continue-turn", ...stateOf({ ...parkIfOpen(), questions }) };
    },
    async doDetach() {
      await conversation.whenResumable();
      return { type: "resume-session", ...stateOf(parkIfOpen()) };
    },
    async doStop() {
      forget();
      await conversation.close();
      return { type: "resume-session", ...stateOf() };
    },
    async doDestroy() {
      forget();
      unpark(conversation.key);
      await conversation.close();
    },
  };
}
