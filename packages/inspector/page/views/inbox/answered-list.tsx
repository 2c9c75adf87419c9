import type { JSX } from "preact";
import { clockTime } from "../../base/format.js";
import { Badge, SourceTag } from "../../parts/small-parts.js";
import { newestRecords } from "../../state/open-questions.js";
import { usePage } from "../../state/use-page.js";
import { endingOf } from "./record-text.js";

/** How the newest questions ended, and who answered them. */
export function AnsweredList(): JSX.Element | null {
  const page = usePage();
  const records = newestRecords(page).slice(0, MOST);
  if (records.length === 0) return null;
  return (
    <section aria-labelledby="answered-title">
      <h2 id="answered-title" class="section-title">
        Answered
      </h2>
      <ul class="rows">
        {records.map(({ source, record }) => {
          const { id, settledAt, summary, decision, outcome } = record;
          const isAllowed = outcome === "granted" || GOOD.has(decision?.behavior ?? "");
          return (
            <li key={id} class="row answered">
              <span class="time">{clockTime(Date.parse(settledAt))}</span>
              <SourceTag source={source} />
              <span class="grow">
                <span class="row-title">{summary}</span>
                <Badge tone={isAllowed ? "good" : "warn"}>{endingOf(record)}</Badge>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const MOST = 50;
const GOOD: ReadonlySet<string> = new Set(["allow", "answer", "accept"]);
