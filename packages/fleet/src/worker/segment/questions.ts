import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type Approval,
  type ApprovalDecision,
  type CanUseTool,
  describeCall,
  describeElicitation,
  elicitationResult,
  isHawserError,
  type OnElicitation,
  type PermissionResult,
  type PermissionUpdate,
  permissionResult,
} from "hawser";
import type { ApprovalDesk, OpenQuestion } from "../../approvals/fleet-approvals.js";
import { isSameCall } from "../../approvals/same-call.js";
import { expiryOf, type SegmentContext } from "./segment-context.js";
import { LOST } from "./tool-hooks.js";

/** The callbacks of the profile, which are asked first. */
export interface OwnCallbacks {
  readonly canUseTool?: CanUseTool | undefined;
  readonly onElicitation?: OnElicitation | undefined;
}

/** The answer that a person gave to the call with which a resumed session begins. */
export interface StoredAnswer {
  readonly toolUseId: string;
  readonly question: Approval;
  readonly decision: ApprovalDecision;
  /** Changes of the rules that go with the answer. */
  readonly updates?: readonly PermissionUpdate[];
}

/**
 * The questions of one segment. Each is written down for any program to answer. The process waits for a while; then
 * the call is parked, so that no process waits.
 */
export class Questions {
  readonly #context: SegmentContext;
  readonly #own: OwnCallbacks;
  readonly #stored: StoredAnswer | undefined;
  #granted: StoredAnswer | undefined;
  #parked: string | undefined;
  /** The open questions whose calls can be parked. */
  readonly #parkable = new Set<string>();

  /** `stored` is the answer to the call with which the CLI begins, `granted` that to a call that comes again. */
  constructor(
    context: SegmentContext,
    own: OwnCallbacks,
    { stored, granted }: { readonly stored?: StoredAnswer; readonly granted?: StoredAnswer },
  ) {
    this.#context = context;
    this.#own = own;
    this.#stored = stored;
    this.#granted = granted;
    // Without it, hawser warns that the profile's `allowedTools` keep calls from a callback that it does not have.
    if (own.canUseTool === undefined) Object.assign(this.canUseTool, { [HANDS_ON]: true });
  }

  /** The question that the run waits for, if its call was parked. The turn then ends with an interrupt. */
  get parked(): string | undefined {
    return this.#parked;
  }

  /** Whether a call can be parked that waits now. */
  get mayPark(): boolean {
    return this.#parkable.size > 0 && !this.#context.calls.isAnyRunning;
  }

  readonly canUseTool: CanUseTool = async (tool, input, context) => {
    const { calls } = this.#context;
    const toolUseId = context.toolUseID;
    const question = describeCall(tool, input, context, frame());
    const stored = this.#stored;
    if (stored?.toolUseId === toolUseId && isAnswerTo(stored, question))
      return this.#giveStored(question, stored);
    const granted = this.#takeGrant(question);
    if (granted !== undefined) return this.#allow(question, granted);
    await calls.suspend(toolUseId);
    const own = await this.#own.canUseTool?.(tool, input, context);
    if (own?.behavior === "deny") return own;
    if (own?.behavior === "allow")
      return (await this.#begin(question, own.updatedInput)) ? own : lost();
    const decision = await this.#ask(question, context.signal);
    return decision === undefined ? PARKED : this.#allow(question, decision);
  };

  readonly onElicitation: OnElicitation = async (request, context) => {
    const own = await this.#own.onElicitation?.(request, context);
    if (own !== undefined && own !== null) return own;
    const decision = await this.#ask(
      describeElicitation(request, context, frame()),
      context.signal,
    );
    return elicitationResult(decision ?? { behavior: "cancel" });
  };

  async #giveStored(question: Approval, { decision, updates = [] }: StoredAnswer) {
    const result = await this.#allow(question, decision);
    if (result.behavior === "deny" || updates.length === 0) return result;
    return { ...result, updatedPermissions: [...(result.updatedPermissions ?? []), ...updates] };
  }

  /** The decision about a call that a person has allowed before, once, if the model makes it as it was told. */
  #takeGrant(question: Approval): ApprovalDecision | undefined {
    const granted = this.#granted;
    if (granted === undefined || question.kind === "elicitation") return undefined;
    const { question: asked, decision } = granted;
    if (asked.kind === "elicitation" || decision.behavior !== "allow") return undefined;
    const { updatedInput = asked.input, scope } = decision;
    const isSame = asked.tool === question.tool && isDeepStrictEqual(updatedInput, question.input);
    if (!isSame) return undefined;
    this.#granted = undefined;
    return { behavior: "allow", ...(scope === undefined ? {} : { scope }) };
  }

  /** The CLI's answer. A call that may begin is written down first, and allowed only if this host may still act. */
  async #allow(question: Approval, decision: ApprovalDecision): Promise<PermissionResult> {
    const result = permissionResult(question, decision);
    if (result.behavior === "deny") return result;
    return (await this.#begin(question, result.updatedInput)) ? result : lost();
  }

  async #begin(question: Approval, updatedInput: Record<string, unknown> | undefined) {
    if (question.kind === "elicitation") return true;
    const { toolUseId, tool, input } = question;
    return await this.#context.calls.begin({ toolUseId, tool, input: updatedInput ?? input });
  }

  /** Undefined if the call was parked, or if the CLI waits no more. */
  async #ask(question: Approval, signal: AbortSignal): Promise<ApprovalDecision | undefined> {
    const { lease, settings, time } = this.#context;
    const open = await lease.whileHeld(() =>
      this.#desk.open(lease.claim, question, expiryOf(settings)),
    );
    let decision: ApprovalDecision | undefined;
    if (isParkable(question)) this.#parkable.add(open.id);
    try {
      decision = await time.exclude(this.#answer(question, open, signal));
    } finally {
      this.#parkable.delete(open.id);
      const isParked = this.#parked === open.id;
      if (decision === undefined && !isParked && !lease.lost.aborted) await this.#withdraw(open);
    }
    return decision;
  }

  async #answer(
    question: Approval,
    open: OpenQuestion,
    signal: AbortSignal,
  ): Promise<ApprovalDecision | undefined> {
    const { lease, settings, hurry } = this.#context;
    const ended = AbortSignal.any([signal, lease.lost]);
    const hurried = AbortSignal.any([ended, hurry.signal]);
    let waitMs = hurry.signal.aborted ? 0 : settings.holdMs;
    for (;;) {
      const decision = await open.wait(waitMs, hurry.signal.aborted ? ended : hurried);
      if (decision !== undefined || ended.aborted) return decision;
      if (await this.#park(question, open)) return undefined;
      waitMs = LOOK_AGAIN_MS;
    }
  }

  /**
   * A call is parked by itself: nothing else of the main thread may run, because the process ends. A question of a
   * sub-agent or of an MCP server has no place in the main transcript, so that its process goes on waiting.
   */
  async #park(question: Approval, open: OpenQuestion): Promise<boolean> {
    const { calls, store } = this.#context;
    if (question.kind === "elicitation" || !isParkable(question)) return false;
    if (this.#parked !== undefined || calls.isAnyRunning) return false;
    this.#parked = open.id;
    const { toolUseId } = question;
    // Another call of the same message may begin meanwhile. It must not be cut off.
    const mayFreeze = () => !calls.isAnyRunning;
    if (await store.freezeAfter(toolUseId, calls.ended, mayFreeze, STORE_LIMIT_MS)) {
      calls.park();
      return true;
    }
    this.#parked = undefined;
    return false;
  }

  async #withdraw({ id }: OpenQuestion): Promise<void> {
    const { lease } = this.#context;
    try {
      await lease.whileHeld(() => this.#desk.withdraw(lease.claim, id));
    } catch (error) {
      if (!isHawserError(error, "lease_lost")) throw error;
    }
  }

  get #desk(): ApprovalDesk {
    return this.#context.settings.parts.desk;
  }
}

/**
 * Whether the person has decided about the call that is asked about now. The CLI completes some inputs, such as the
 * path of a file, from the folder in which it runs, so that the call of the transcript can be another one here.
 */
function isAnswerTo({ question: asked, decision }: StoredAnswer, question: Approval): boolean {
  if (asked.kind === "elicitation" || question.kind === "elicitation") return false;
  const isEdited =
    decision.behavior === "allow" && isDeepStrictEqual(decision.updatedInput, question.input);
  return isEdited || isSameCall(asked, question);
}

/** As `createApprovals()` marks its callback. */
const HANDS_ON = Symbol.for("hawser.handsOn");

/** How often a call that cannot be parked yet is looked at. */
const LOOK_AGAIN_MS = 1_000;

/** The CLI writes its transcript every 100 ms. */
const STORE_LIMIT_MS = 5_000;

/** Only a call of the main thread has a place in the main transcript. */
function isParkable(question: Approval): boolean {
  return question.kind !== "elicitation" && question.agentId === undefined;
}

function frame(): { id: string; askedAt: string } {
  return { id: randomUUID(), askedAt: new Date().toISOString() };
}

/** Ends the turn. The frozen store keeps it out of the transcript, so that the model never reads it. */
const PARKED = {
  behavior: "deny",
  message: "This call waits for the decision of a person.",
  interrupt: true,
} as const;

function lost() {
  return { behavior: "deny", message: LOST, interrupt: true } as const;
}
