import type { JSX } from "preact";
import type { LiveSession } from "../../../../gateway/src/native/live-state.js";
import { dollars, elapsed } from "../../base/format.js";
import { toolSummary } from "../../base/tool-summary.js";
import { Badge, SourceTag } from "../../parts/small-parts.js";
import { clock } from "../../state/clock.js";
import { addressOf } from "../../state/route.js";
import type { SourceState } from "../../state/source-state.js";
import { STATUS_TONES, sessionStatus, sessionTitle } from "./session-text.js";

/** A session in the list. */
export function SessionRow({
  source,
  session,
  isOpen,
}: {
  readonly source: SourceState;
  readonly session: LiveSession;
  readonly isOpen: boolean;
}): JSX.Element {
  const status = sessionStatus(session, hasQuestion(source, session));
  const turn = session.turns[0];
  const tool = turn?.tools.findLast((each) => each.status === "running");
  return (
    <li>
      <a
        class={`row session-row ${isOpen ? "row-open" : ""}`}
        href={addressOf("live", source.info.id, session.id)}
        aria-current={isOpen ? "page" : undefined}
      >
        <span class="row-line">
          <Badge tone={STATUS_TONES[status]}>{status}</Badge>
          <span class="row-title">{sessionTitle(session)}</span>
        </span>
        <span class="row-line dim">
          <SourceTag source={source} />
          <span>{session.agent ?? session.purpose}</span>
          {turn !== undefined && <span class="time">{elapsed(clock.value - turn.startedAt)}</span>}
          {session.costUsd > 0 && <span>{dollars(session.costUsd)}</span>}
        </span>
        {tool !== undefined && (
          <span class="row-line dim">
            <strong>{tool.tool}</strong>
            <span class="tool-about">{toolSummary(tool.input)}</span>
          </span>
        )}
      </a>
    </li>
  );
}

/** Whether a question of the session is open. */
export function hasQuestion(source: SourceState, { id, sessionId }: LiveSession): boolean {
  return [...source.approvals.values()].some(
    (approval) =>
      approval.session === id || (sessionId !== undefined && approval.sessionId === sessionId),
  );
}
