import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LiveSession } from "../../../../gateway/src/native/live-state.js";
import { clockTime, dollars, tokens, words } from "../../base/format.js";
import { nativePath, problemOf } from "../../net/api.js";
import { CodeText } from "../../parts/code-text.js";
import { ConfirmButton } from "../../parts/confirm-button.js";
import { Badge, Problem } from "../../parts/small-parts.js";
import { addressOf } from "../../state/route.js";
import type { SourceState } from "../../state/source-state.js";
import { usePage } from "../../state/use-page.js";
import { EndedTurns } from "./ended-turns.js";
import { LiveTurnPart } from "./live-turn-part.js";
import { SendForm } from "./send-form.js";
import { hasQuestion } from "./session-rows.js";
import { STATUS_TONES, sessionStatus, sessionTitle } from "./session-text.js";

/** A session with its current turn, and the commands to it. */
export function SessionDetail({
  source,
  session,
}: {
  readonly source: SourceState;
  readonly session: LiveSession;
}): JSX.Element {
  const page = usePage();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isAsking = hasQuestion(source, session);
  const status = sessionStatus(session, isAsking);
  const canControl = page.canControl.value && source.isPresent && session.status !== "ended";

  const command = async (name: string, body: unknown = {}): Promise<boolean> => {
    setBusy(true);
    try {
      await page.api.post(nativePath(source.info.id, `/sessions/${session.id}/${name}`), body);
      setProblem(undefined);
      return true;
    } catch (error) {
      setProblem(problemOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="detail" aria-labelledby="session-title">
      <a class="back" href={addressOf("live")}>
        ← All sessions
      </a>
      <header class="detail-head">
        <Badge tone={STATUS_TONES[status]}>{status}</Badge>
        <h2 id="session-title">{sessionTitle(session)}</h2>
      </header>
      <SessionFacts source={source} session={session} />
      {!source.isPresent && <Gone />}
      {isAsking && source.isPresent && (
        <p class="warn">
          It waits for an answer. <a href={addressOf("inbox")}>Open the inbox</a>
        </p>
      )}
      {session.error !== undefined && (
        <p class="problem">
          {words(session.error.code)}: {session.error.message}{" "}
          <CodeText text={session.error.hint ?? ""} />
        </p>
      )}
      {canControl && (
        <div class="actions">
          <button
            type="button"
            class="danger"
            disabled={isBusy || session.turns.length === 0}
            onClick={() => command("interrupt")}
          >
            Stop the turn
          </button>
          <ConfirmButton
            label="Close the session"
            question="Press again to close"
            isDisabled={isBusy}
            onConfirm={() => void command("close")}
          />
        </div>
      )}
      <Problem text={problem} />
      {session.turns.map((turn) => (
        <LiveTurnPart key={turn.id} turn={turn} />
      ))}
      {canControl && <SendForm isBusy={isBusy} onSend={(prompt) => command("turns", { prompt })} />}
      <EndedTurns turns={session.endedTurns} />
    </section>
  );
}

/** What is shown of a program that has ended is as old as its end. */
function Gone(): JSX.Element {
  return (
    <p class="problem">
      This program has ended, or was started again. This is the last that the page heard of it.
    </p>
  );
}

function SessionFacts({
  source,
  session,
}: {
  readonly source: SourceState;
  readonly session: LiveSession;
}): JSX.Element {
  const { agent, model, tenant, pid, cliVersion, startedAt, costUsd, sessionId, outcome } = session;
  const usage = session.endedTurns.at(-1)?.usage;
  const context =
    (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0) + (usage?.cacheCreationTokens ?? 0);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Source", source.info.name],
    ["Agent", agent],
    ["Model", model ?? session.turns[0]?.model],
    ["Tenant", tenant],
    ["Cost", dollars(costUsd)],
    ["Tokens read in the last turn", context > 0 ? tokens(context) : undefined],
    ["Process", pid === undefined ? undefined : String(pid)],
    ["CLI", cliVersion],
    ["Started", clockTime(startedAt)],
    ["Ended", outcome === undefined ? undefined : words(outcome)],
  ];
  return (
    <dl class="facts-list">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      {sessionId !== undefined && (
        <div>
          <dt>Transcript</dt>
          <dd>
            <a href={addressOf("transcripts", source.info.id, sessionId)}>
              {sessionId.slice(0, 8)}
            </a>
          </dd>
        </div>
      )}
    </dl>
  );
}
