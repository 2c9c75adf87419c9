import type { JSX } from "preact";
import type { LiveRequest } from "../../../gateway/src/native/live-state.js";
import { clockTime, dollars, duration, elapsed, plural, tokens } from "../base/format.js";
import { ScrollRegion } from "../parts/scroll-region.js";
import { Badge, Empty, SourceTag } from "../parts/small-parts.js";
import { clock } from "../state/clock.js";
import type { SourceState } from "../state/source-state.js";
import { usePage } from "../state/use-page.js";

/** The requests of clients of the gateways: those that run, and the newest that have ended. */
export function RequestsView(): JSX.Element {
  const page = usePage();
  const all = page.sources
    .flatMap((source) => source.live.snapshot().requests.map((request) => ({ source, request })))
    .sort((a, b) => b.request.startedAt - a.request.startedAt);
  return (
    <div class="view">
      <h1>Requests</h1>
      <p class="lead">{plural(all.length, "request")}</p>
      {all.length === 0 ? (
        <Empty title="No requests yet.">
          Requests of clients to a gateway (hawser serve) are listed here.
        </Empty>
      ) : (
        <ScrollRegion class="table-scroll" label="Requests">
          <table class="requests">
            <thead>
              <tr>
                {COLUMNS.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {all.map(({ source, request }) => (
                <RequestRow
                  key={`${source.info.id} ${request.request}`}
                  source={source}
                  request={request}
                />
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </div>
  );
}

const COLUMNS = ["Time", "Status", "Request", "Model", "Tenant", "Took", "Tokens", "Cost"];

function RequestRow({
  source,
  request,
}: {
  readonly source: SourceState;
  readonly request: LiveRequest;
}): JSX.Element {
  const { startedAt, status, ms, method, path, model, tenant, usage, costUsd, isAborted, code } =
    request;
  return (
    <tr>
      <td class="time">{clockTime(startedAt)}</td>
      <td>
        {status === undefined ? (
          <Badge tone="accent">running</Badge>
        ) : (
          <Badge tone={status < 400 ? "good" : "bad"}>{status}</Badge>
        )}{" "}
        {isAborted === true && <Badge tone="warn">client left</Badge>}
      </td>
      <td>
        <SourceTag source={source} /> {method} {path} {code !== undefined && <em>{code}</em>}
      </td>
      <td>{model}</td>
      <td>{tenant}</td>
      <td class="number">{ms === undefined ? elapsed(clock.value - startedAt) : duration(ms)}</td>
      <td class="number">
        {usage === undefined
          ? ""
          : `${tokens(usage.inputTokens ?? 0)} + ${tokens(usage.outputTokens ?? 0)}`}
      </td>
      <td class="number">{costUsd === undefined ? "" : dollars(costUsd)}</td>
    </tr>
  );
}
