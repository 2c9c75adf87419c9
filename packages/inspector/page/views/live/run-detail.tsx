import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { contentText, firstLine } from "../../base/content-text.js";
import { clockTime, dollars, words } from "../../base/format.js";
import { objectOf } from "../../base/json.js";
import { toolSummary } from "../../base/tool-summary.js";
import { nativePath, problemOf } from "../../net/api.js";
import { CodeText } from "../../parts/code-text.js";
import { ConfirmButton } from "../../parts/confirm-button.js";
import { Markdown } from "../../parts/markdown.js";
import { Badge, Problem } from "../../parts/small-parts.js";
import { usePoll } from "../../state/poll.js";
import { addressOf } from "../../state/route.js";
import type { SourceState } from "../../state/source-state.js";
import { usePage } from "../../state/use-page.js";
import { RUN_TONES, type RunEvent, type RunInfo } from "./run-shape.js";
import { useRunEvents } from "./use-run-events.js";

/** A run of a fleet: what it is, what happened, and the commands to it. */
export function RunDetail({
  source,
  id,
}: {
  readonly source: SourceState;
  readonly id: string;
}): JSX.Element {
  const page = usePage();
  const path = nativePath(source.info.id, `/runs/${id}`);
  const { value: run, problem } = usePoll(
    async (signal) => objectOf(await page.api.get(path, signal))["run"] as RunInfo,
    2000,
    path,
  );
  const events = useRunEvents(page, source.info.id, id);
  const [failure, setFailure] = useState<string>();
  const command = (name: string) =>
    page.api.post(`${path}/${name}`).then(
      () => setFailure(undefined),
      (error) => setFailure(problemOf(error)),
    );
  if (run === undefined) return <Problem text={problem} />;
  const isOver = run.endedAt !== undefined;
  const isAsking = [...source.approvals.values()].some((approval) => approval.run === id);
  return (
    <section class="detail" aria-labelledby="run-title">
      <a class="back" href={addressOf("live")}>
        ← All sessions
      </a>
      <header class="detail-head">
        <Badge tone={RUN_TONES[run.state] ?? "plain"}>{run.state}</Badge>
        <h2 id="run-title">{firstLine(contentText(run.prompt), 120)}</h2>
      </header>
      <p class="facts">
        <span>{run.tenant}</span>
        {run.profile !== undefined && <span>{run.profile}</span>}
        {run.host !== undefined && <span>on {run.host}</span>}
        <span>{dollars(run.costUsd)}</span>
        {run.budgetUsd !== undefined && <span>of {dollars(run.budgetUsd)}</span>}
        <span>since {clockTime(Date.parse(run.createdAt))}</span>
        {(run.deaths ?? 0) > 0 && <span class="warn">{run.deaths} hosts died</span>}
      </p>
      {run.error !== undefined && (
        <p class="problem">
          {words(run.error.code)}: {run.error.message} <CodeText text={run.error.hint ?? ""} />
        </p>
      )}
      {isAsking && (
        <p class="warn">
          It waits for an answer. <a href={addressOf("inbox")}>Open the inbox</a>
        </p>
      )}
      {page.canControl.value && (
        <div class="actions">
          {!isOver && (
            <ConfirmButton
              label="Cancel the run"
              question="Press again to cancel"
              onConfirm={() => void command("cancel")}
            />
          )}
          {run.state === "failed" && (
            <button type="button" onClick={() => command("retry")}>
              Try again
            </button>
          )}
        </div>
      )}
      <Problem text={failure} />
      {run.outcome?.text !== undefined && <Markdown text={run.outcome.text} />}
      <h3 class="section-title">Events</h3>
      <RunEvents events={events} />
    </section>
  );
}

function RunEvents({ events }: { readonly events: readonly RunEvent[] }): JSX.Element {
  return (
    <ol class="rows">
      {eventRows(events).map(({ event, text, numbers }) => (
        <li key={event.seq} class="row" data-numbers={numbers.join(" ")}>
          <span class="time">{clockTime(Date.parse(event.at))}</span>
          <Badge>{event.type}</Badge>
          <span class="grow">{event.type === "text" ? text : eventText(event)}</span>
        </li>
      ))}
    </ol>
  );
}

interface EventRow {
  readonly event: RunEvent;
  /** The text of all its pieces. */
  text: string;
  /** The numbers of the events that the row shows. */
  readonly numbers: number[];
}

/** The pieces of a text that follow each other are one row. */
function eventRows(events: readonly RunEvent[]): readonly EventRow[] {
  const rows: EventRow[] = [];
  for (const event of events) {
    const last = rows.at(-1);
    if (last !== undefined && event.type === "text" && last.event.type === "text") {
      last.text = `${last.text}${event.text ?? ""}`.slice(-LONGEST_TEXT);
      last.numbers.push(event.seq);
    } else rows.push({ event, text: event.text ?? "", numbers: [event.seq] });
  }
  return rows;
}

/** Of a text that is being written, the end. */
const LONGEST_TEXT = 2_000;

function eventText(event: RunEvent): string {
  const { type, message, tool, input, host, how, summary, outcome, by, state, reason } = event;
  if (type === "message") return messageText(message);
  if (type === "tool") return `${tool}: ${toolSummary(input)}`;
  const parts = [state, summary, outcome, by && `by ${by}`, host && `on ${host}`, how, reason];
  return parts.filter(Boolean).join(", ");
}

function messageText(message: unknown): string {
  const { type, message: inner, result } = objectOf(message);
  const content = objectOf(inner)["content"];
  const blocks = Array.isArray(content) ? content.map(objectOf) : [];
  // The CLI gives results of tools to the model in the name of the user.
  const isToolResult = blocks.some((block) => block["type"] === "tool_result");
  const said = blocks.filter((block) => block["type"] !== "tool_use");
  const calls = blocks.filter((block) => block["type"] === "tool_use");
  const parts = [
    firstLine(contentText(Array.isArray(content) ? said : content) || contentText(result)),
    calls.length > 0 && `calls ${calls.map(({ name }) => String(name)).join(", ")}`,
  ];
  const text = parts.filter(Boolean).join(", ");
  return [isToolResult ? "tool result" : String(type), text].filter(Boolean).join(": ");
}
