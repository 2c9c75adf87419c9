import type { JSX } from "preact";
import { contentText, firstLine } from "../../base/content-text.js";
import { clockTime, dollars } from "../../base/format.js";
import { ApiError, listOf, nativePath } from "../../net/api.js";
import { Badge, Problem, SourceTag } from "../../parts/small-parts.js";
import { usePoll } from "../../state/poll.js";
import { addressOf } from "../../state/route.js";
import { usePage } from "../../state/use-page.js";
import { RUN_TONES, type RunInfo } from "./run-shape.js";

/** The newest runs of the fleets; `ifNone` if there are none. */
export function RunRows({
  openId,
  ifNone,
}: {
  readonly openId: string | undefined;
  readonly ifNone: JSX.Element | null;
}): JSX.Element | null {
  const page = usePage();
  const sources = page.sources.filter(
    ({ info }) => info.kind === "fleet" || info.kind === "gateway",
  );
  const key = sources.map(({ info }) => info.id).join(" ");
  const { value, problem } = usePoll(
    async (signal) => {
      const lists = sources.map(async ({ info }) => {
        const read = page.api.get(nativePath(info.id, "/runs?limit=50"), signal);
        const runs = listOf<RunInfo>(await read.catch(undefinedIfNoFleet), "runs");
        return runs.map((run) => ({ source: info.id, run }));
      });
      return (await Promise.all(lists)).flat();
    },
    2000,
    key,
  );
  // The first answer has not come yet.
  if (value === undefined && problem === undefined) return null;
  if (value?.length === 0 && problem === undefined) return ifNone;
  return (
    <section aria-labelledby="runs-title">
      <h2 id="runs-title" class="section-title">
        Runs
      </h2>
      <Problem text={problem} />
      <ul class="rows">
        {value?.map(({ source, run }) => {
          const known = page.source(source);
          const isOpen = openId === `run:${run.id}`;
          return (
            <li key={run.id}>
              <a
                class={`row session-row ${isOpen ? "row-open" : ""}`}
                href={addressOf("live", source, `run:${run.id}`)}
                aria-current={isOpen ? "page" : undefined}
              >
                <span class="row-line">
                  <Badge tone={RUN_TONES[run.state] ?? "plain"}>{run.state}</Badge>
                  <span class="row-title">{firstLine(contentText(run.prompt), 90)}</span>
                </span>
                <span class="row-line dim">
                  {known !== undefined && <SourceTag source={known} />}
                  <span>{run.tenant}</span>
                  <span>{clockTime(Date.parse(run.createdAt))}</span>
                  <span>{dollars(run.costUsd)}</span>
                </span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** A gateway without a fleet has no runs. */
function undefinedIfNoFleet(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}
