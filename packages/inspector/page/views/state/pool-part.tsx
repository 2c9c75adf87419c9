import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { LiveSession } from "../../../../gateway/src/native/live-state.js";
import { count, dollars, duration, words } from "../../base/format.js";
import { isObject, numberField, objectOf } from "../../base/json.js";
import { nativePath } from "../../net/api.js";
import { BarChart } from "../../parts/bar-chart.js";
import { Badge, Problem } from "../../parts/small-parts.js";
import { Sparkline } from "../../parts/sparkline.js";
import { clock } from "../../state/clock.js";
import { usePoll } from "../../state/poll.js";
import type { SourceState } from "../../state/source-state.js";
import { usePage } from "../../state/use-page.js";

/** The pool of a program. A program without a pool shows the sessions that it has. */
export function PoolPart({ source }: { readonly source: SourceState }): JSX.Element {
  const page = usePage();
  const path = nativePath(source.info.id, "/state");
  const { value, problem } = usePoll(
    async (signal) => objectOf(await page.api.get(path, signal))["pool"] ?? null,
    2000,
    path,
  );
  const { sessions, calls, pauses } = source.live.snapshot();
  const isRunning = ({ status }: LiveSession) => status !== "ended";
  return (
    <>
      <Problem text={problem} />
      <dl class="facts-list">
        <Fact name="Sessions" value={count(sessions.filter(isRunning).length)} />
        <Fact name="Calls" value={count(calls.length)} />
        <Fact name="Open questions" value={count(source.approvals.size)} />
        <Fact
          name="Cost of the sessions shown"
          value={dollars(sessions.reduce((sum, { costUsd }) => sum + costUsd, 0))}
        />
      </dl>
      {pauses
        .filter(({ until }) => until > clock.value)
        .map(({ pool, account, code, until, limit }) => (
          <p key={`${pool} ${account}`} class="warn">
            Paused for {duration(until - clock.value)}: {words(code)}. Account {account}, at most{" "}
            {limit} calls at once.
          </p>
        ))}
      {isObject(value) && <PoolStats stats={value} />}
      {!isObject(value) && source.info.kind !== "machine" && (
        <p class="dim">
          {/* `hawser serve` always has a pool. Its state is left out for a key without the right. */}
          {source.info.kind === "gateway"
            ? "The pool and the fleet of a gateway are shown to admins."
            : "This program has no pool."}
        </p>
      )}
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

type Stats = Readonly<Record<string, unknown>>;

function PoolStats({ stats }: { readonly stats: Stats }): JSX.Element {
  const processes = objectOf(stats["processes"]);
  const calls = objectOf(stats["calls"]);
  const number = (from: Stats, name: string) => numberField(from, name) ?? 0;
  const queued = useHistory(number(calls, "queued"));
  const states = STATES.map((name) => ({ name, value: number(processes, name) }));
  const discarded = Object.entries(objectOf(processes["discarded"]));
  const waiting = Object.entries(objectOf(stats["queuedByTenant"]));
  const spent = Object.entries(objectOf(stats["spentUsdByTenant"]));
  return (
    <div class="panel-grid">
      <div>
        <h3>Processes by state</h3>
        <BarChart bars={states} />
        <p class="dim">
          {count(number(processes, "started"))} started,{" "}
          {count(Math.round(number(processes, "rssMb")))} MB
        </p>
        {discarded.map(([reason, times]) => (
          <Badge key={reason}>
            {words(reason)} {String(times)}
          </Badge>
        ))}
      </div>
      <div>
        <h3>Calls</h3>
        <dl class="facts-list">
          {["running", "queued", "limit", "succeeded", "failed", "warm", "cold"].map((name) => (
            <Fact key={name} name={words(name)} value={count(number(calls, name))} />
          ))}
        </dl>
        <p class="dim">Queue</p>
        <Sparkline values={queued} label={`Queue of the last minutes, now ${queued.at(-1)}`} />
        {waiting.length > 0 && (
          <>
            <p class="dim">Queue by tenant</p>
            <BarChart bars={waiting.map(([name, value]) => ({ name, value: Number(value) }))} />
          </>
        )}
      </div>
      <div>
        <h3>Times</h3>
        <table>
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col">p50</th>
              <th scope="col">p90</th>
              <th scope="col">p99</th>
            </tr>
          </thead>
          <tbody>
            {TIMES.map(([name, label]) => {
              const times = objectOf(stats[name]);
              return (
                <tr key={name}>
                  <th scope="row">{label}</th>
                  {["p50", "p90", "p99"].map((part) => (
                    <td key={part} class="number">
                      {timeText(numberField(times, part))}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <div>
        <h3>Spent</h3>
        <dl class="facts-list">
          <Fact name="All" value={dollars(number(stats, "spentUsd"))} />
          {spent.map(([tenant, usd]) => (
            <Fact key={tenant} name={tenant} value={dollars(Number(usd))} />
          ))}
        </dl>
      </div>
    </div>
  );
}

const STATES = [
  "serving",
  "recycled",
  "initialized",
  "generic",
  "starting",
  "resetting",
  "closing",
] as const;

const TIMES = [
  ["queuedMs", "in the queue"],
  ["bootMs", "start of a process"],
  ["runMs", "the call"],
  ["totalMs", "all"],
] as const;

function timeText(ms: number | undefined): string {
  return ms === undefined ? "–" : duration(ms);
}

/** The last values of a number that changes. */
function useHistory(value: number): readonly number[] {
  const [values, setValues] = useState<readonly number[]>([value]);
  // Each reading counts, also if the number stays the same.
  useEffect(() => {
    const timer = setInterval(() => setValues((before) => [...before.slice(-59), value]), 2000);
    return () => clearInterval(timer);
  }, [value]);
  return values;
}
