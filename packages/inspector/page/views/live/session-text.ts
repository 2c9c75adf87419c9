import type { LiveSession, LiveTool } from "../../../../gateway/src/native/live-state.js";
import { contentText, firstLine } from "../../base/content-text.js";

/** What a session is about: its latest prompt, or else its agent or purpose. */
export function sessionTitle(session: LiveSession): string {
  const prompt = session.turns.map((turn) => firstLine(contentText(turn.prompt), 90)).find(Boolean);
  if (prompt !== undefined) return prompt;
  const last = session.endedTurns.at(-1);
  const said = [last?.prompt, last?.text].map((text) => firstLine(contentText(text), 90));
  return said.find(Boolean) ?? session.agent ?? `A ${session.purpose}`;
}

export type SessionStatus = "working" | "waiting" | "ready" | "starting" | "ended" | "failed";

/** What a session does now. `waiting`: it has an open question. */
export function sessionStatus(session: LiveSession, hasQuestion: boolean): SessionStatus {
  if (session.status === "ended") return session.error === undefined ? "ended" : "failed";
  if (session.status === "starting") return "starting";
  if (session.turns.length === 0) return "ready";
  return hasQuestion ? "waiting" : "working";
}

export const STATUS_TONES = {
  working: "accent",
  waiting: "warn",
  ready: "good",
  starting: "plain",
  ended: "plain",
  failed: "bad",
} as const satisfies Record<SessionStatus, string>;

/** A tool call, and the calls of the sub-agent that it has started. */
export interface ToolNode {
  readonly tool: LiveTool;
  readonly children: readonly ToolNode[];
}

/** The tool calls of a turn as a tree. A call whose parent is not kept any more stands at the top. */
export function toolTree(tools: readonly LiveTool[]): readonly ToolNode[] {
  const known = new Set(tools.map(({ toolUseId }) => toolUseId));
  const byParent = new Map<string | null, LiveTool[]>();
  for (const tool of tools) {
    const { parentToolUseId, toolUseId } = tool;
    const isChild =
      parentToolUseId !== null && known.has(parentToolUseId) && parentToolUseId !== toolUseId;
    const parent = isChild ? parentToolUseId : null;
    byParent.set(parent, [...(byParent.get(parent) ?? []), tool]);
  }
  const below = (parent: string | null): readonly ToolNode[] =>
    (byParent.get(parent) ?? []).map((tool) => ({ tool, children: below(tool.toolUseId) }));
  return below(null);
}
