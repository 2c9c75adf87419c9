import type { Pool } from "hawser";
import type { AccessEntry } from "./access-log.js";

type Labels = Readonly<Record<string, string>>;

/** Counts requests and renders them, together with the state of pools, in the text format of Prometheus. */
export class Metrics {
  readonly #requests = new Counters();
  readonly #durations = new Histograms(SECONDS);
  readonly #firstBytes = new Histograms(SECONDS);
  readonly #tokens = new Counters();
  readonly #costs = new Counters();
  readonly #aborted = new Counters();

  count(entry: AccessEntry): void {
    const { route = "none", status, tenant = "none" } = entry;
    // A client can invent methods without end.
    const method = METHODS.has(entry.method) ? entry.method : "other";
    const where = { route, method };
    this.#requests.add({ ...where, status: String(status), tenant }, 1);
    this.#durations.observe(where, entry.ms / 1000);
    if (entry.firstByteMs !== undefined) {
      this.#firstBytes.observe(where, entry.firstByteMs / 1000);
    }
    if (entry.isAborted) this.#aborted.add({ ...where, tenant }, 1);
    for (const [kind, tokens] of [
      ["input", entry.inputTokens],
      ["output", entry.outputTokens],
      ["cache_read", entry.cacheReadTokens],
      ["cache_creation", entry.cacheCreationTokens],
    ] as const) {
      if (tokens !== undefined) this.#tokens.add({ tenant, kind }, tokens);
    }
    if (entry.costUsd !== undefined) this.#costs.add({ tenant }, entry.costUsd);
  }

  /** `open` is how many requests are being answered. */
  render(pools: Iterable<Pool>, open: number): string {
    const parts = [
      this.#requests.render("hawser_requests_total", "Requests that were answered."),
      this.#aborted.render("hawser_requests_aborted_total", "Requests whose client was gone."),
      this.#durations.render("hawser_request_duration_seconds", "Time to the end of the answer."),
      this.#firstBytes.render("hawser_first_byte_seconds", "Time to the first byte of the answer."),
      this.#tokens.render("hawser_tokens_total", "Tokens by kind."),
      this.#costs.render("hawser_cost_usd_total", "Cost in US dollars, as far as it is known."),
      family("hawser_cache_read_ratio", "gauge", "Part of the input that came from the cache.", [
        ...this.#cacheRatios(),
      ]),
      family("hawser_requests_open", "gauge", "Requests that are being answered.", [[{}, open]]),
      ...poolFamilies(pools),
    ];
    return parts.filter((part) => part !== "").join("");
  }

  *#cacheRatios(): Generator<[Labels, number]> {
    const sums = new Map<string, { read: number; all: number }>();
    for (const [{ tenant = "", kind }, value] of this.#tokens.entries()) {
      if (kind === "output") continue;
      const sum = sums.get(tenant) ?? { read: 0, all: 0 };
      sum.all += value;
      if (kind === "cache_read") sum.read += value;
      sums.set(tenant, sum);
    }
    for (const [tenant, { read, all }] of sums) if (all > 0) yield [{ tenant }, read / all];
  }
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS"]);

/** In seconds: from a warm answer of a small model to an agent that works for minutes. */
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const STATES = [
  "starting",
  "generic",
  "initialized",
  "recycled",
  "serving",
  "resetting",
  "closing",
] as const;

function poolFamilies(pools: Iterable<Pool>): string[] {
  const stats = [...pools].map((pool) => pool.stats());
  const sum = (read: (each: (typeof stats)[number]) => number) =>
    stats.reduce((total, each) => total + read(each), 0);
  const one = (value: number): [Labels, number][] => [[{}, value]];
  return [
    family(
      "hawser_pool_processes",
      "gauge",
      "Processes of the CLI by state.",
      STATES.map((state) => [{ state }, sum(({ processes }) => processes[state])]),
    ),
    family(
      "hawser_pool_processes_started_total",
      "counter",
      "Processes that were started.",
      one(sum(({ processes }) => processes.started)),
    ),
    family(
      "hawser_pool_rss_bytes",
      "gauge",
      "Memory of the processes that have served a call.",
      one(sum(({ processes }) => processes.rssMb) * 1024 * 1024),
    ),
    family(
      "hawser_pool_calls_running",
      "gauge",
      "Calls that run.",
      one(sum(({ calls }) => calls.running)),
    ),
    family(
      "hawser_pool_calls_queued",
      "gauge",
      "Calls that wait for a process.",
      one(sum(({ calls }) => calls.queued)),
    ),
    family("hawser_pool_calls_total", "counter", "Calls by outcome.", [
      [{ outcome: "ok" }, sum(({ calls }) => calls.succeeded)],
      [{ outcome: "failed" }, sum(({ calls }) => calls.failed)],
    ]),
  ];
}

/** A counter for each set of labels. The sets are bounded, because clients choose none of their values. */
class Counters {
  readonly #values = new Map<string, [Labels, number]>();

  add(labels: Labels, amount: number): void {
    const key = labelText(labels);
    const found = this.#values.get(key);
    if (found === undefined) this.#values.set(key, [labels, amount]);
    else found[1] += amount;
  }

  entries(): Iterable<readonly [Labels, number]> {
    return this.#values.values();
  }

  render(name: string, help: string): string {
    return family(name, "counter", help, [...this.#values.values()]);
  }
}

class Histograms {
  readonly #bounds: readonly number[];
  readonly #values = new Map<string, { labels: Labels; counts: number[]; sum: number }>();

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const key = labelText(labels);
    const found = this.#values.get(key) ?? {
      labels,
      counts: [...this.#bounds, 0].map(() => 0),
      sum: 0,
    };
    this.#values.set(key, found);
    const index = this.#bounds.findIndex((bound) => value <= bound);
    const at = index < 0 ? this.#bounds.length : index;
    found.counts[at] = (found.counts[at] ?? 0) + 1;
    found.sum += value;
  }

  render(name: string, help: string): string {
    if (this.#values.size === 0) return "";
    const lines = [...this.#values.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const buckets = counts.map((count, index) => {
        total += count;
        const le = String(this.#bounds[index] ?? "+Inf");
        return `${name}_bucket${labelText({ ...labels, le })} ${total}\n`;
      });
      const text = labelText(labels);
      return [...buckets, `${name}_sum${text} ${sum}\n`, `${name}_count${text} ${total}\n`];
    });
    return `${head(name, "histogram", help)}${lines.join("")}`;
  }
}

function family(
  name: string,
  type: "counter" | "gauge",
  help: string,
  values: readonly (readonly [Labels, number])[],
): string {
  if (values.length === 0) return "";
  const lines = values.map(([labels, value]) => `${name}${labelText(labels)} ${value}\n`);
  return `${head(name, type, help)}${lines.join("")}`;
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
