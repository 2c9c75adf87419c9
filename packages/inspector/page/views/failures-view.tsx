import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { contentText, firstLine } from "../base/content-text.js";
import { clockTime, plural } from "../base/format.js";
import { type JsonObject, objectOf } from "../base/json.js";
import { toolSummary } from "../base/tool-summary.js";
import { listOf, nativePath } from "../net/api.js";
import { CodeBlock } from "../parts/code-block.js";
import { CodeText } from "../parts/code-text.js";
import { Badge, Empty, Problem, SourceTag } from "../parts/small-parts.js";
import { usePoll } from "../state/poll.js";
import { addressOf } from "../state/route.js";
import type { SourceState } from "../state/source-state.js";
import { usePage } from "../state/use-page.js";

/** A failure as `GET /failures` lists it. */
interface Failure {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly session?: string;
  readonly phase?: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly apiStatus?: number;
  readonly stderrTail?: string;
}

/** Why turns, sessions and calls failed: the code, what to do, the end of stderr, and what happened before. */
export function FailuresView(): JSX.Element {
  const page = usePage();
  const ids = page.sources.map(({ info, failureCount }) => `${info.id} ${failureCount}`).join(" ");
  const { value = [], problem } = usePoll(
    async (signal) => {
      const lists = page.sources.map(async ({ info }) => {
        const body = await page.api.get(nativePath(info.id, "/failures"), signal);
        return listOf<Failure>(body, "failures").map((failure) => ({ source: info.id, failure }));
      });
      const settled = await Promise.allSettled(lists);
      const all = settled.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
      const failed = settled.find((each) => each.status === "rejected");
      if (all.length === 0 && failed !== undefined) throw failed.reason;
      return all.sort((a, b) => b.failure.at - a.failure.at);
    },
    10_000,
    ids,
  );
  return (
    <div class="view">
      <h1>Failures</h1>
      <p class="lead">{plural(value.length, "failure")}</p>
      <Problem text={problem} />
      {value.length === 0 && problem === undefined && <Empty title="Nothing has failed." />}
      <div class="cards">
        {value.map(({ source, failure }) => {
          const known = page.source(source);
          return known === undefined ? null : (
            <FailureCard key={`${source} ${failure.id}`} source={known} failure={failure} />
          );
        })}
      </div>
    </div>
  );
}

function FailureCard({
  source,
  failure,
}: {
  readonly source: SourceState;
  readonly failure: Failure;
}): JSX.Element {
  const { id, at, kind, code, message, hint, session, stderrTail } = failure;
  const [isTraced, setTraced] = useState(false);
  const facts = [
    failure.phase && `phase ${failure.phase}`,
    failure.exitCode !== undefined && `exit code ${failure.exitCode}`,
    failure.signal && `signal ${failure.signal}`,
    failure.apiStatus !== undefined && `API status ${failure.apiStatus}`,
  ].filter(Boolean);
  return (
    <article class="card" aria-labelledby={`failure-${id}`}>
      <header class="card-head">
        <Badge tone="bad">{code}</Badge>
        <h2 id={`failure-${id}`}>{firstLine(message)}</h2>
      </header>
      <p class="facts">
        <span class="time">{clockTime(at)}</span>
        <SourceTag source={source} />
        <span>{kind}</span>
        {facts.map((fact) => (
          <span key={String(fact)}>{fact}</span>
        ))}
        {session !== undefined && (
          <a href={addressOf("live", source.info.id, session)}>
            session {session.split("_").at(-1)}
          </a>
        )}
      </p>
      {message.includes("\n") && <CodeBlock label="Message" text={message} lines={8} />}
      {hint !== undefined && (
        <p class="hint">
          <CodeText text={hint} />
        </p>
      )}
      {stderrTail !== undefined && stderrTail !== "" && (
        <>
          <h3 class="label">End of stderr</h3>
          <CodeBlock label="End of stderr" text={stderrTail} lines={12} />
        </>
      )}
      <div class="actions">
        <button type="button" aria-expanded={isTraced} onClick={() => setTraced(!isTraced)}>
          {isTraced ? "Hide the trace" : "Show the trace"}
        </button>
      </div>
      {isTraced && <Trace source={source} id={id} failedAt={at} />}
    </article>
  );
}

/** What happened in the same session or call before the failure. */
function Trace({
  source,
  id,
  failedAt,
}: {
  readonly source: SourceState;
  readonly id: string;
  readonly failedAt: number;
}): JSX.Element {
  const page = usePage();
  const path = nativePath(source.info.id, `/failures/${encodeURIComponent(id)}`);
  const { value, problem } = usePoll(
    async (signal) => listOf<JsonObject>(await page.api.get(path, signal), "trace"),
    600_000,
    path,
  );
  return (
    <>
      <Problem text={problem} />
      {value?.length === 0 && <p class="dim">The events before it are not kept any more.</p>}
      <ol class="rows trace">
        {value?.map((event) => (
          <li key={String(event["id"])} class="row">
            <span class="time">{beforeText(failedAt, Number(event["at"]))}</span>
            <Badge>{String(event["kind"])}</Badge>
            <span class="grow">{eventText(event)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

function beforeText(failedAt: number, at: number): string {
  const seconds = (failedAt - at) / 1000;
  return seconds <= 0 ? "0.0 s" : `−${seconds.toFixed(1)} s`;
}

function eventText(event: JsonObject): string {
  const { tool, input, prompt, text, outcome, reason, error } = event;
  const parts = [
    tool,
    input === undefined ? "" : toolSummary(input),
    firstLine(contentText(prompt)),
    firstLine(contentText(text)),
    outcome,
    reason,
    objectOf(error)["message"],
  ];
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}
