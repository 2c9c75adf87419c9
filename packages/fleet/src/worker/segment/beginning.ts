import type { Approval, ApprovalDecision, History, Prompt, SessionStoreEntry } from "hawser";
import { permissionResult } from "hawser";
import type { ApprovalDesk } from "../../approvals/fleet-approvals.js";
import type { Database } from "../../database/database.js";
import type { Claim } from "../../runs/claims.js";
import type { RunInfo, ToolIntent } from "../../runs/run.js";
import { AddedEntries } from "./added-entries.js";
import type { StoredAnswer } from "./questions.js";
import { allowedText, CALL_TEXT, recoveryPrompt } from "./recovery-text.js";
import type { OpenCall, Transcript } from "./transcript.js";

/** How a segment begins. */
export type Beginning =
  /** A prompt, in a new session, in a known one, or in a copy of another one. */
  | {
      readonly type: "prompt";
      readonly from: "new" | "known" | { readonly fork: string };
      readonly prompt: Prompt;
      /** The uuid of the prompt. The prompt of the run has the run's id, so that it is found in the transcript. */
      readonly uuid: string | undefined;
      /** To be added to the transcript first. */
      readonly entries: readonly SessionStoreEntry[];
      /** Earlier messages that are added before the prompt. */
      readonly history?: History;
      /** Whether the transcript is cleared first: it holds a part of the history, or of the copied session. */
      readonly clears?: boolean;
    }
  /** The CLI goes on by itself: with the call that a person has allowed, or with the result of a call. */
  | {
      readonly type: "resumed";
      readonly entries: readonly SessionStoreEntry[];
      /** The call with which the CLI begins. */
      readonly allowed?: StoredAnswer;
      /** The call that the model is told to make again, because the CLI cannot begin with it. */
      readonly granted?: StoredAnswer;
    }
  /** A person has still to answer. */
  | { readonly type: "waiting"; readonly question: Approval; readonly call: OpenCall }
  /** The answer was given, and its host died before it was recorded. */
  | { readonly type: "answered"; readonly text: string };

export interface BeginningParts {
  readonly database: Database;
  readonly desk: ApprovalDesk;
  readonly claim: Claim;
  readonly transcript: Transcript;
  /** Calls of earlier segments that may or may not have taken effect. */
  readonly uncertain: readonly ToolIntent[];
  readonly onRecover: ((run: RunInfo, uncertain: readonly ToolIntent[]) => string) | undefined;
  readonly rebuild: ((run: RunInfo) => Promise<History | undefined>) | undefined;
}

/** Decides how a segment begins, from the claim and from what the transcript holds. */
export async function planBeginning(parts: BeginningParts): Promise<Beginning> {
  const { claim, transcript, uncertain } = parts;
  const { run, how } = claim;
  const isBegun = transcript.has(run.id);
  const final = isBegun && how === "recovered" ? transcript.finalAnswer(run.id) : undefined;
  // The value of a schema is not in the text.
  if (final !== undefined && run.options.schema === undefined)
    return { type: "answered", text: final };
  const found = await readCalls(parts);
  const waiting = found.find(({ state }) => state === "open");
  if (waiting?.question !== undefined) {
    return { type: "waiting", question: waiting.question, call: waiting.call };
  }
  const added = new AddedEntries(transcript);
  const allowed = found.find(isAllowed);
  for (const one of found) if (one !== allowed) added.addResult(one.call, textOf(one, allowed));
  if (isBegun && allowed !== undefined) return resumeWith(parts, added, allowed);
  const isDenied = found.some(({ state }) => state === "decided");
  if (isBegun && isDenied && uncertain.length === 0) {
    return { type: "resumed", entries: added.list };
  }
  return await promptWith(parts, added.list, isBegun);
}

/** An open call, and what the database knows about it. */
interface FoundCall {
  readonly call: OpenCall;
  /**
   * - `decided`: a person has decided, or the time for it is over.
   * - `open`: a person has still to decide.
   * - `withdrawn`: nobody will decide any more.
   * - `begun`: it was allowed to begin, and its end is unknown.
   * - `ended`: it ended, and its result is lost.
   * - `not_begun`: it was never allowed to begin.
   */
  readonly state: "decided" | "open" | "withdrawn" | "begun" | "ended" | "not_begun";
  readonly question?: Approval;
  readonly decision?: ApprovalDecision;
}

async function readCalls({
  database,
  desk,
  claim,
  transcript,
}: BeginningParts): Promise<FoundCall[]> {
  const calls = transcript.openCalls;
  if (calls.length === 0) return [];
  const ids = calls.map(({ toolUseId }) => toolUseId);
  const { schema } = database;
  const { rows: begun } = await database.query<{ tool_use_id: string; done: boolean }>(
    `select tool_use_id, done from ${schema}.intent where tool_use_id = any($1::text[]) and run_id in
       (select id from ${schema}.run where session_id = $2)`,
    [ids, claim.run.sessionId],
  );
  const { rows: asked } = await database.query<QuestionRow>(
    `select tool_use_id, run_id, state, question from ${schema}.approval
     where session_id = $2 and tool_use_id = any($1::text[])`,
    [ids, claim.run.sessionId],
  );
  const found = calls.map(async (call): Promise<FoundCall> => {
    const intent = begun.find(({ tool_use_id }) => tool_use_id === call.toolUseId);
    if (intent !== undefined) return { call, state: intent.done ? "ended" : "begun" };
    const row = asked.find(({ tool_use_id }) => tool_use_id === call.toolUseId);
    if (row === undefined) return { call, state: "not_begun" };
    // The answers to another run, which was ended, are not for this one.
    if (row.run_id !== claim.run.id || row.state === "withdrawn")
      return { call, state: "withdrawn" };
    const question = JSON.parse(row.question) as Approval;
    const decision = await desk.answerOf(claim.run.id, call.toolUseId);
    if (decision === undefined) return { call, state: "open", question };
    return { call, state: "decided", question, decision };
  });
  return await Promise.all(found);
}

interface QuestionRow {
  readonly tool_use_id: string;
  readonly run_id: string;
  readonly state: string;
  readonly question: string;
}

function isAllowed(found: FoundCall): found is Required<FoundCall> {
  return resultOf(found)?.behavior === "allow";
}

function resultOf({ question, decision }: FoundCall) {
  if (question === undefined || decision === undefined) return undefined;
  return permissionResult(question, decision);
}

/** The result of a call that is not made now. */
function textOf(found: FoundCall, allowed: FoundCall | undefined): string {
  switch (found.state) {
    case "begun":
      return CALL_TEXT.uncertain;
    case "ended":
      return CALL_TEXT.ended;
    case "withdrawn":
      return allowed === undefined ? CALL_TEXT.withdrawn : CALL_TEXT.notDecided;
    case "not_begun":
      return allowed === undefined ? CALL_TEXT.notBegun : CALL_TEXT.notDecided;
    default: {
      const result = resultOf(found);
      return result?.behavior === "deny" ? result.message : CALL_TEXT.notDecided;
    }
  }
}

/**
 * Observed: the CLI begins with a deferred call before it has connected to MCP servers, and refuses a call of their
 * tools. So the model is told to make such a call again.
 */
function resumeWith(
  { transcript }: BeginningParts,
  added: AddedEntries,
  { call, question, decision }: Required<FoundCall>,
): Beginning {
  const answer = { toolUseId: call.toolUseId, question, decision };
  if (call.tool.startsWith("mcp__")) {
    added.addResult(call, allowedText(decision));
    return { type: "resumed", entries: added.list, granted: answer };
  }
  if (!transcript.isDeferred(call.toolUseId)) added.addDeferral(call);
  return { type: "resumed", entries: added.list, allowed: answer };
}

async function promptWith(
  { claim, transcript, uncertain, onRecover, rebuild }: BeginningParts,
  entries: readonly SessionStoreEntry[],
  isBegun: boolean,
): Promise<Beginning> {
  const { run, how } = claim;
  const recovery = () => onRecover?.(run, uncertain) ?? recoveryPrompt(how, uncertain);
  if (isBegun) {
    return { type: "prompt", from: "known", prompt: recovery(), uuid: undefined, entries };
  }
  // The words of the run were not stored, so that they are said again; with them, what may have been done.
  const prompt = uncertain.length === 0 ? run.prompt : join(run.prompt, recovery());
  const common = { type: "prompt", prompt, uuid: run.id, entries } as const;
  // A host that died while it added the messages, or while it copied the session, has left a part of them.
  const anew = { ...common, entries: [], clears: !transcript.isEmpty };
  const { history } = run.options;
  if (history !== undefined) return { ...anew, from: "new", history };
  if (run.forkOf !== undefined) return { ...anew, from: { fork: run.forkOf } };
  if (!transcript.isEmpty) return { ...common, from: "known" };
  const rebuilt = await rebuild?.(run);
  return { ...common, from: "new", ...(rebuilt === undefined ? {} : { history: rebuilt }) };
}

function join(prompt: Prompt, text: string): Prompt {
  if (typeof prompt === "string") return `${prompt}\n\n${text}`;
  return [...prompt, { type: "text", text }];
}
