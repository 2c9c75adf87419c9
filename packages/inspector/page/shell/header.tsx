import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { count, dollars, elapsed, plural } from "../base/format.js";
import { clock } from "../state/clock.js";
import { openQuestions } from "../state/open-questions.js";
import type { Connection } from "../state/page-state.js";
import { addressOf, route, VIEWS, type ViewName } from "../state/route.js";
import { usePage } from "../state/use-page.js";
import { SourcesMenu } from "./sources-menu.js";

/** The top of the page: the views, the sources, the connection, the open questions and the cost. */
export function Header({ onHelp }: { readonly onHelp: () => void }): JSX.Element {
  const page = usePage();
  const { view: shown } = route.value;
  const nav = useRef<HTMLElement>(null);
  // On a phone the row of views is wider than the screen.
  useEffect(() => {
    const link = nav.current?.querySelector(`[href="${addressOf(shown)}"]`);
    link?.scrollIntoView({ inline: "nearest", block: "nearest" });
  }, [shown]);
  const questions = openQuestions(page).length;
  const cost = page.sources
    .flatMap(({ live }) => live.snapshot().sessions)
    .reduce((sum, { costUsd }) => sum + costUsd, 0);
  return (
    <header class="top">
      <a class="brand" href={addressOf("inbox")} aria-label="Hawser inspector">
        <svg class="brand-mark" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M4 16C4 8 16 12 16 4M4 4c0 8 12 4 12 12" />
        </svg>
        hawser
      </a>
      <nav class="nav" aria-label="Views" ref={nav}>
        {VIEWS.map((view) => (
          <a key={view} href={addressOf(view)} aria-current={view === shown ? "page" : undefined}>
            {NAMES[view]}
            {view === "inbox" && questions > 0 && (
              <span class="count">
                {count(questions)}
                <span class="hidden"> {questions === 1 ? "open question" : "open questions"}</span>
              </span>
            )}
          </a>
        ))}
      </nav>
      <div class="top-state">
        <span class="cost" title="The known cost of the sessions shown">
          {dollars(cost)}
        </span>
        <SourcesMenu />
        <ConnectionState state={page.connection.value} retryAt={page.retryAt.value} />
        <button type="button" class="round" onClick={onHelp} aria-label="Help and keys">
          ?
        </button>
      </div>
    </header>
  );
}

const NAMES: Readonly<Record<ViewName, string>> = {
  inbox: "Inbox",
  live: "Live",
  transcripts: "Transcripts",
  state: "Pool and fleet",
  requests: "Requests",
  failures: "Failures",
  replay: "Replay",
};

function ConnectionState({
  state,
  retryAt,
}: {
  readonly state: Connection;
  readonly retryAt: number;
}): JSX.Element {
  const wait = retryAt - clock.value;
  const text = state === "lost" && wait > 1000 ? `Lost, again in ${elapsed(wait)}` : TEXTS[state];
  return (
    <span class={`connection connection-${state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {text}
    </span>
  );
}

const TEXTS: Readonly<Record<Connection, string>> = {
  connecting: "Connecting",
  open: "Connected",
  lost: "Connection lost",
  refused: "Refused",
  unproven: "Not your server",
};

/** What the tab of the browser says: how many questions wait. */
export function pageTitle(questions: number): string {
  return questions === 0 ? "Hawser" : `(${plural(questions, "question")}) Hawser`;
}
