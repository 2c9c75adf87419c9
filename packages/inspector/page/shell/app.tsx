import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isTyping } from "../base/is-typing.js";
import { UnprovenServer } from "../net/prove-server.js";
import { ErrorBoundary } from "../parts/error-boundary.js";
import { Problem } from "../parts/small-parts.js";
import { openQuestions } from "../state/open-questions.js";
import { go, route, VIEWS, type ViewName } from "../state/route.js";
import { usePage } from "../state/use-page.js";
import { FailuresView } from "../views/failures-view.js";
import { InboxView } from "../views/inbox/inbox-view.js";
import { LiveView } from "../views/live/live-view.js";
import { ReplayView } from "../views/replay/replay-view.js";
import { RequestsView } from "../views/requests-view.js";
import { StateView } from "../views/state/state-view.js";
import { TranscriptsView } from "../views/transcripts/transcripts-view.js";
import { Header, pageTitle } from "./header.js";
import { HelpDialog } from "./help-dialog.js";
import { NoticeList } from "./notice-list.js";
import { TokenForm } from "./token-form.js";

/** The whole page. */
export function App(): JSX.Element {
  const page = usePage();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const title = pageTitle(openQuestions(page).length);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      if (event.key === "?") setHelpOpen(true);
      const view = VIEWS[Number(event.key) - 1];
      if (view !== undefined) go(view);
    };
    addEventListener("keydown", onKey);
    addEventListener("keydown", holdOnce, true);
    return () => {
      removeEventListener("keydown", onKey);
      removeEventListener("keydown", holdOnce, true);
    };
  }, []);
  const View = VIEW_PARTS[route.value.view];
  return (
    <>
      <Header onHelp={() => setHelpOpen(true)} />
      <main id="main">
        {page.connection.value === "unproven" && <Problem text={new UnprovenServer().message} />}
        <ErrorBoundary key={route.value.view} what="this view">
          {page.connection.value === "refused" ? <TokenForm /> : <View />}
        </ErrorBoundary>
      </main>
      <NoticeList />
      {isHelpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
    </>
  );
}

/** A key that is held down presses a button, or sends a form, only once. */
function holdOnce(event: KeyboardEvent): void {
  if (!event.repeat || event.key !== "Enter" || !(event.target instanceof HTMLElement)) return;
  if (event.target.matches("textarea") && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
}

const VIEW_PARTS: Readonly<Record<ViewName, () => JSX.Element>> = {
  inbox: InboxView,
  live: LiveView,
  transcripts: TranscriptsView,
  state: StateView,
  requests: RequestsView,
  failures: FailuresView,
  replay: ReplayView,
};
