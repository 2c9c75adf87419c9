import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { plural } from "../../base/format.js";
import { ErrorBoundary } from "../../parts/error-boundary.js";
import { Empty } from "../../parts/small-parts.js";
import { notify } from "../../state/notices.js";
import { openQuestions } from "../../state/open-questions.js";
import { usePage } from "../../state/use-page.js";
import { AnsweredList } from "./answered-list.js";
import { ApprovalCard } from "./approval-card.js";
import { focusCard } from "./card-element.js";
import { pressKey } from "./inbox-keys.js";
import { Inbox, type Move } from "./inbox-state.js";
import { useSteadyCards } from "./use-steady-cards.js";

/** The open questions of all sources in one list. */
export function InboxView(): JSX.Element {
  const page = usePage();
  const [inbox] = useState(() => new Inbox());
  const questions = openQuestions(page);
  const ids = questions.map(({ approval }) => approval.id);
  const shown = useRef<readonly string[]>([]);
  const title = useRef<HTMLHeadingElement>(null);
  const cards = useSteadyCards(ids);

  // Together with the change of the cards. An effect after the next frame would be too late for a key that a person
  // presses before it: the key would choose another card, as if no form had vanished.
  useLayoutEffect(() => {
    const move = inbox.follow(shown.current, ids);
    shown.current = ids;
    if (move !== undefined) afterMove(move, title.current);
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => pressKey(inbox, shown.current, event);
    // Before the keys of the whole page, because a key can belong to a form that has just vanished.
    addEventListener("keydown", onKey, true);
    return () => removeEventListener("keydown", onKey, true);
  }, [inbox]);

  return (
    <div class="view inbox">
      <h1 ref={title} tabIndex={-1}>
        Inbox
      </h1>
      <p class="lead" aria-live="polite">
        {questions.length === 0 ? "No open questions" : plural(questions.length, "open question")}
        {!page.canControl.value && page.connection.value === "open" && ". You can only read."}
      </p>
      {questions.length === 0 && (
        <Empty title="Nothing waits for you.">
          When an agent asks for permission, its question appears here at once.
        </Empty>
      )}
      <div class="cards" ref={cards}>
        {questions.map((question) => (
          <ErrorBoundary key={question.approval.id} what="a question">
            <ApprovalCard question={question} inbox={inbox} />
          </ErrorBoundary>
        ))}
      </div>
      <AnsweredList />
    </div>
  );
}

/** The card that had the focus is gone. The next one gets it, so that a person goes on where the list goes on. */
function afterMove({ to, isOwnAnswer, hadForm }: Move, title: HTMLElement | null): void {
  if (hadForm && !isOwnAnswer) {
    notify("bad", "The question that you were answering has ended. Choose a question to go on.");
  }
  // The person may be somewhere else on the page, for example in the menu.
  if (document.activeElement !== null && document.activeElement !== document.body) return;
  if (to !== undefined) focusCard(to);
  else title?.focus({ preventScroll: true });
}
