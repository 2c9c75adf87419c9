import type { AccountLimits, TenantLimits } from "../accounting/tenants.js";
import type { FleetStats } from "../fleet.js";
import { LIVING_MS } from "./advise-worker.js";
import { ageOf, countOf, dollars } from "./amounts.js";
import { type FleetPlace, withFleet } from "./open-place.js";
import { oneLine } from "./printable.js";
import { type CommandShell, printJson } from "./shell.js";
import { table } from "./table.js";

/** `hawser fleet status`: runs, workers, questions and accounts. */
export function showStatus(place: FleetPlace, shell: CommandShell): Promise<number> {
  return withFleet(place, shell, "existing", async (fleet) => {
    const stats = await fleet.stats();
    if (shell.isJson) printJson(shell, stats);
    else for (const line of table(statusRows(stats, place))) shell.terminal.writeLine(line);
    return 0;
  });
}

function statusRows(
  { database, runs, hosts, approvals, accounts }: FleetStats,
  place: FleetPlace,
): string[][] {
  const { kind, postgres, schemaVersion } = database;
  const where = typeof place.database === "string" ? kind : `${kind} ${place.database.folder}`;
  const counts = Object.entries(runs).filter(([, count]) => count > 0);
  const none = (rows: string[][], label: string) => (rows.length > 0 ? rows : [[label, "none"]]);
  return [
    ["database", `${where}, Postgres ${postgres}, schema ${schemaVersion}`],
    ["runs", counts.map(([state, count]) => `${count} ${state}`).join(", ") || "none"],
    ...none(
      hosts.map(({ name, active, slots, draining, seenAt }, i) => {
        const said = `${oneLine(name, 60)}: ${active} of ${countOf(slots, "slot")}, seen ${ageOf(seenAt)}`;
        const isGone = Date.now() - seenAt.getTime() > LIVING_MS;
        const state = isGone ? ", gone" : draining ? ", draining" : "";
        return [i === 0 ? "workers" : "", `${said}${state}`];
      }),
      "workers",
    ),
    ["questions", approvals === 0 ? "none" : `${approvals} open: hawser approve${place.flags}`],
    ...none(
      accounts.map(({ account, active, pausedUntil, reason }, i) => {
        const until =
          pausedUntil === undefined ? "" : `, paused until ${pausedUntil.toISOString()}`;
        const why = reason === undefined ? "" : ` (${oneLine(reason, 60)})`;
        return [
          i === 0 ? "accounts" : "",
          `${oneLine(account, 60)}: ${active} active${until}${why}`,
        ];
      }),
      "accounts",
    ),
  ];
}

/** `hawser fleet migrate`: makes the tables, or brings them up to date. */
export function migrate(place: FleetPlace, shell: CommandShell): Promise<number> {
  return withFleet(place, shell, "create", async (fleet) => {
    const { database } = await fleet.stats();
    if (shell.isJson) printJson(shell, { database });
    else shell.terminal.writeLine(`The tables are up to date: schema ${database.schemaVersion}.`);
    return 0;
  });
}

/** `hawser fleet prune`: deletes what ended long ago. */
export function prune(
  { place, olderThan }: { readonly place: FleetPlace; readonly olderThan: Date },
  shell: CommandShell,
): Promise<number> {
  return withFleet(place, shell, "existing", async (fleet) => {
    const runs = await fleet.prune({ olderThan });
    if (shell.isJson) printJson(shell, { runs });
    else
      shell.terminal.writeLine(
        `Deleted ${countOf(runs, "run")} that ended before ${olderThan.toISOString()}.`,
      );
    return 0;
  });
}

export interface SetTenantCommand {
  readonly place: FleetPlace;
  readonly tenant: string;
  readonly limits: TenantLimits;
}

/** `hawser fleet tenant set`: sets limits, and shows all of them. */
export function setTenant(
  { place, tenant, limits }: SetTenantCommand,
  shell: CommandShell,
): Promise<number> {
  return withFleet(place, shell, "create", async (fleet) => {
    await fleet.tenants.set(tenant, limits);
    return printTenant(await fleet.tenants.get(tenant), shell, tenant);
  });
}

/** `hawser fleet tenant show`: the limits of a tenant, and what it has spent today. */
export function showTenant(
  { place, tenant }: { readonly place: FleetPlace; readonly tenant: string },
  shell: CommandShell,
): Promise<number> {
  return withFleet(place, shell, "existing", async (fleet) => {
    const [limits, today] = [await fleet.tenants.get(tenant), await fleet.usage(tenant)];
    if (shell.isJson) {
      printJson(shell, { tenant, limits, today });
      return 0;
    }
    printTenant(limits, shell, tenant);
    const estimated =
      today.estimatedUsd > 0 ? `, ${dollars(today.estimatedUsd)} of it estimated` : "";
    const reserved = today.reservedUsd > 0 ? `; ${dollars(today.reservedUsd)} reserved` : "";
    shell.terminal.writeLine(
      `today        ${countOf(today.runs, "run")}, ${dollars(today.costUsd)}${estimated}${reserved}`,
    );
    return 0;
  });
}

function printTenant(limits: TenantLimits, shell: CommandShell, tenant: string): number {
  if (shell.isJson) {
    printJson(shell, { tenant, limits });
    return 0;
  }
  const { concurrency, weight = 1, budgetUsd = {}, onBudget = "refuse", paused, account } = limits;
  const money = Object.entries(budgetUsd).flatMap(([span, sum]) =>
    sum === null || sum === undefined
      ? []
      : [`${dollars(sum)} a ${span}`.replace("a total", "in all")],
  );
  const rows = [
    ["tenant", oneLine(tenant, 100)],
    [
      "concurrency",
      concurrency === null || concurrency === undefined ? "no limit" : String(concurrency),
    ],
    ["weight", String(weight)],
    ["budget", money.length === 0 ? "no limit" : `${money.join(", ")}; then ${onBudget}`],
    ["account", account ?? "default"],
    ["paused", paused === true ? "yes" : "no"],
  ];
  for (const line of table(rows)) shell.terminal.writeLine(line);
  return 0;
}

export interface SetAccountCommand {
  readonly place: FleetPlace;
  readonly account: string;
  readonly limits: AccountLimits;
}

/** `hawser fleet account set`: sets the limits of an account, or ends its pause. */
export function setAccount(
  { place, account, limits }: SetAccountCommand,
  shell: CommandShell,
): Promise<number> {
  return withFleet(place, shell, "create", async (fleet) => {
    await fleet.tenants.setAccount(account, limits);
    if (shell.isJson) printJson(shell, { account, limits });
    else shell.terminal.writeLine(`The limits of the account ${oneLine(account, 100)} are set.`);
    return 0;
  });
}
