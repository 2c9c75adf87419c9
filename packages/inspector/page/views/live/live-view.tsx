import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { LiveSession } from "../../../../gateway/src/native/live-state.js";
import { plural } from "../../base/format.js";
import { Empty } from "../../parts/small-parts.js";
import type { PageState } from "../../state/page-state.js";
import { openFirst, route } from "../../state/route.js";
import type { SourceState } from "../../state/source-state.js";
import { usePage } from "../../state/use-page.js";
import { RunDetail } from "./run-detail.js";
import { RunRows } from "./run-rows.js";
import { SessionDetail } from "./session-detail.js";
import { hasQuestion, SessionRow } from "./session-rows.js";

/** The sessions and runs of all sources, and one of them in detail. */
export function LiveView(): JSX.Element {
  const page = usePage();
  const [sourceId, id] = route.value.parts;
  const all = sessionsOf(page);
  const running = all.filter(({ session }) => session.status !== "ended");
  const ended = all.filter(({ session }) => session.status === "ended").reverse();
  const first = running.find(isAsking) ?? running.at(-1) ?? ended[0];
  useEffect(() => {
    if (id === undefined && first !== undefined) {
      openFirst("live", first.source.info.id, first.session.id);
    }
  }, [id, first]);
  const row = ({ source, session }: Listed) => (
    <SessionRow
      key={`${source.info.id} ${session.id}`}
      source={source}
      session={session}
      isOpen={source.info.id === sourceId && session.id === id}
    />
  );
  return (
    <div class={`view split ${id === undefined ? "" : "split-detail"}`}>
      <div class="split-list">
        <h1>Live</h1>
        <p class="lead">{plural(running.length, "session")} open</p>
        {running.length > 0 && <ul class="rows">{running.map(row)}</ul>}
        <RunRows openId={id} ifNone={all.length === 0 ? <NoSessions /> : null} />
        {ended.length > 0 && (
          <>
            <h2 class="section-title">Ended</h2>
            <ul class="rows">{ended.map(row)}</ul>
          </>
        )}
      </div>
      <div class="split-main">
        <Detail page={page} sourceId={sourceId} id={id} />
      </div>
    </div>
  );
}

function NoSessions(): JSX.Element {
  return (
    <Empty title="No sessions yet.">Sessions and runs appear here as soon as they begin.</Empty>
  );
}

interface Listed {
  readonly source: SourceState;
  readonly session: LiveSession;
}

function isAsking({ source, session }: Listed): boolean {
  return hasQuestion(source, session);
}

function sessionsOf(page: PageState): readonly Listed[] {
  return page.sources.flatMap((source) =>
    source.live.snapshot().sessions.map((session) => ({ source, session })),
  );
}

function Detail({
  page,
  sourceId,
  id,
}: {
  readonly page: PageState;
  readonly sourceId: string | undefined;
  readonly id: string | undefined;
}): JSX.Element {
  const source = page.source(sourceId ?? "");
  if (source === undefined || id === undefined) {
    return <Empty title="Choose a session.">You see its turn as it happens.</Empty>;
  }
  if (id.startsWith("run:")) return <RunDetail key={id} source={source} id={id.slice(4)} />;
  const session = source.live.session(id);
  return session === undefined ? (
    <Empty title="This session is not known any more.">Its transcript may still be on disk.</Empty>
  ) : (
    <SessionDetail key={id} source={source} session={session} />
  );
}
