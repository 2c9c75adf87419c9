import type { JSX } from "preact";
import { count, plural } from "../base/format.js";
import { Badge } from "../parts/small-parts.js";
import type { SourceState } from "../state/source-state.js";
import { usePage } from "../state/use-page.js";

/** The programs that the page shows, and how far their events have come. */
export function SourcesMenu(): JSX.Element {
  const page = usePage();
  const { sources } = page;
  return (
    <details class="menu">
      <summary>{plural(sources.length, "source")}</summary>
      <div class="menu-body">
        {sources.length === 0 && <p class="dim">No program is connected.</p>}
        <ul class="rows">
          {page.allSources.map((source) => (
            <li key={source.info.id} class="source" data-source={source.info.id}>
              <SourceFacts source={source} />
            </li>
          ))}
        </ul>
        {page.serverVersion.value !== "" && <p class="dim">hawser {page.serverVersion.value}</p>}
      </div>
    </details>
  );
}

function SourceFacts({ source }: { readonly source: SourceState }): JSX.Element {
  const { info, isPresent, isConnected, problem, eventCount, resetCount, lastId } = source;
  return (
    <>
      <p class="row-line">
        <strong>{info.name}</strong>
        <Badge>{info.kind}</Badge>
        {!isPresent && <Badge tone="warn">gone</Badge>}
        {isPresent && !isConnected && <Badge tone="bad">not connected</Badge>}
      </p>
      {problem !== undefined && <p class="dim">{problem}</p>}
      <p class="dim" data-events={eventCount} data-last={lastId} data-resets={resetCount}>
        {info.pid !== undefined && `process ${info.pid}, `}
        {count(eventCount)} events since the page was opened
        {resetCount > 0 && `, began anew ${plural(resetCount, "time")}`}
      </p>
    </>
  );
}
