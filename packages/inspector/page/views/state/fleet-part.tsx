import type { JSX } from "preact";
import { clockTime, count, dollars, elapsed } from "../../base/format.js";
import { ApiError, nativePath } from "../../net/api.js";
import { BarChart } from "../../parts/bar-chart.js";
import { ScrollRegion } from "../../parts/scroll-region.js";
import { Badge, Problem } from "../../parts/small-parts.js";
import { clock } from "../../state/clock.js";
import { usePoll } from "../../state/poll.js";
import type { SourceState } from "../../state/source-state.js";
import { usePage } from "../../state/use-page.js";
import type { FleetState, TenantState } from "./fleet-shape.js";

/** The hosts, queues, pauses and budgets of a fleet. Nothing for a program without a fleet. */
export function FleetPart({ source }: { readonly source: SourceState }): JSX.Element | null {
  const page = usePage();
  const path = nativePath(source.info.id, "/fleet");
  const canHave = source.info.kind === "fleet" || source.info.kind === "gateway";
  const { value: fleet, problem } = usePoll(
    async (signal) => {
      if (!canHave) return null;
      const read = page.api.get(path, signal) as Promise<FleetState>;
      return await read.catch((error: unknown) => {
        // A gateway has no fleet (404), or shows it only to admins (403).
        if (error instanceof ApiError && [403, 404].includes(error.status)) return null;
        throw error;
      });
    },
    2000,
    path,
  );
  if (fleet === undefined || fleet === null) return <Problem text={problem} />;
  const runs = Object.entries(fleet.runs).map(([name, value]) => ({ name, value }));
  return (
    <>
      <Problem text={problem} />
      <div class="panel-grid">
        <div>
          <h3>Runs by state</h3>
          <BarChart bars={runs} />
        </div>
        <Hosts fleet={fleet} />
        <Accounts fleet={fleet} />
      </div>
      <Tenants tenants={fleet.tenants} />
    </>
  );
}

function Hosts({ fleet: { hosts } }: { readonly fleet: FleetState }): JSX.Element {
  return (
    <div>
      <h3>Hosts</h3>
      {hosts.length === 0 && <p class="warn">No worker is there, so that no run begins.</p>}
      <ul class="rows">
        {hosts.map(({ name, slots, active, queues, draining, seenAt }) => (
          <li key={name} class="row">
            <strong>{name}</strong>
            <span>
              {active} of {slots} slots
            </span>
            {draining && <Badge tone="warn">draining</Badge>}
            <span class="dim">{queues.join(", ")}</span>
            <span class="time">seen {elapsed(clock.value - Date.parse(seenAt))} ago</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Accounts({ fleet: { accounts } }: { readonly fleet: FleetState }): JSX.Element | null {
  if (accounts.length === 0) return null;
  return (
    <div>
      <h3>Accounts</h3>
      <ul class="rows">
        {accounts.map(({ account, active, pausedUntil, reason }) => (
          <li key={account} class="row">
            <strong>{account}</strong>
            <span>{active} running</span>
            {pausedUntil !== undefined && (
              <Badge tone="warn">
                paused until {clockTime(Date.parse(pausedUntil))} {reason}
              </Badge>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Tenants({ tenants }: { readonly tenants: readonly TenantState[] }): JSX.Element {
  return (
    <ScrollRegion class="table-scroll" label="Tenants">
      <table>
        <thead>
          <tr>
            {["Tenant", "Queued", "Held", "Running", "Waiting", "Day", "Month", "All", ""].map(
              (name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {tenants.map((tenant) => (
            <tr key={tenant.tenant}>
              <th scope="row">{tenant.tenant}</th>
              {["queued", "held", "running", "waiting"].map((state) => (
                <td key={state} class="number">
                  {count(tenant.runs[state] ?? 0)}
                </td>
              ))}
              {(["day", "month", "total"] as const).map((span) => (
                <td key={span} class="number">
                  {spentText(tenant, span)}
                </td>
              ))}
              <td>{notesOf(tenant)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function spentText({ spentUsd, limits }: TenantState, span: "day" | "month" | "total"): string {
  const budget = limits?.budgetUsd?.[span];
  const spent = dollars(spentUsd[span]);
  return budget === undefined || budget === null ? spent : `${spent} of ${dollars(budget)}`;
}

function notesOf({ limits, waitsUntil }: TenantState): string {
  const notes = [
    limits?.paused ? "paused" : undefined,
    waitsUntil === undefined ? undefined : `waits until ${clockTime(Date.parse(waitsUntil))}`,
  ];
  return notes.filter(Boolean).join(", ");
}
