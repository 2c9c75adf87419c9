// The page docs/capacity.md. Every figure on it comes from the measured times or from the simulation.
import { claimHoldMs, hostsFor, volumeOf } from "./paper.js";

/** What each operation is, for the table of measured times. */
const OPERATIONS = {
  submit: "a run is accepted",
  hasDue: "a worker looks whether anything waits",
  claim: "a claim, while all other claims wait",
  emptyClaim: "a claim that finds nothing for its worker",
  settle: "the end of a run is recorded",
  event: "an event is written",
  append: "two lines of 1,000 characters are added to a transcript",
  intent: "a tool call is written down before it begins",
  touch: "the heartbeat of a worker with eight runs",
  cancelWanted: "a worker looks whether a run was cancelled",
  register: "a worker says that it is there",
  upkeep: "somebody looks for silent hosts, and for what has expired",
};

const RUNNING = [0, 1_000, 8_000];
const ROUND_TRIPS = [
  ["the machine of the worker", 0],
  ["the same data centre", 0.3],
  ["another zone", 1],
];

export const pageOf = (results) => {
  const { times, agent, server, sizes } = results;
  const { facts, flushMs, signalMs, connectionMb, operations, rowBytes, largeQueue } = times;
  const hold = claimHoldMs(times, { ...server, running: 0 });
  const largest = {
    listen: largestOf(sizes.listen),
    poll: largestOf(sizes.poll),
  };
  return `# Capacity: from one machine to a thousand hosts

All programs of a [fleet](fleet.md) share one Postgres. This page says how many hosts one Postgres carries, which part reaches its limit first, and what to do then. The service times were measured on one machine. The sizes beyond it are simulated with these times.

## In short

| fleet | what to do |
|---|---|
| one machine | nothing: the private Postgres in a folder is enough |
| up to about ${largest.listen} hosts | a Postgres server with the default settings, and \`max_connections\` for ${CONNECTIONS_USUAL} connections for each host |
| up to about ${largest.poll} hosts | \`openFleet({ listen: false })\` in the workers, and PgBouncer between them and Postgres |
| more, or runs that take seconds | several fleets, each with its own database and a part of the tenants |

These are hosts with ${agent.slots} slots each, ${percent(agent.load)} of them busy, and runs of ${agent.runMs / 60_000} minutes, on a server with ${server.cores} cores.

## What all hosts share

**Claims are made one at a time.** A claim looks at the limits of all tenants and accounts, and these are exact only if no other claim is made at the same moment. So the time of one claim is the limit for the whole fleet. It grows with the time that a message takes to the database and back, because a claim waits for ${operations.claim.roundTrips} answers. Claims a second:

${claimTable(times)}

The number of waiting runs hardly matters. With ${thousands(largeQueue.runs)} waiting runs of ${thousands(largeQueue.tenants)} tenants, Postgres worked ${largeQueue.databaseMs.toFixed(1)} ms on a claim, and with a few hundred ${operations.claim.databaseMs.toFixed(1)} ms.

As a number of hosts with ${agent.slots} slots, ${percent(agent.load)} of them busy, if the database is in the same data centre:

${hostTable(1_000 / hold, agent)}

**A wake must not be a stampede.** When a run is submitted, every idle worker hears of it, and one of them gets it. Therefore a worker first looks without the lock whether anything waits. After a notification it also waits for a random moment, which grows with the number of workers. All workers together then look about a thousand times a second at most, and the first one looks after about a millisecond.

**Notifications.** Postgres lets only one commit with NOTIFY wait for the disk at a time, over the whole server. Therefore the fleet sends its notifications after the commit. Besides, every NOTIFY wakes every connection that listens, whatever it listens to: ${micro(signalMs)} µs of a processor for each of them. The costs grow with the square of the number of hosts, because each of them sends and each of them listens. This is the first limit of a fleet: ${notifyCores(results)}. With \`listen: false\`, a program opens no such connection, and looks at the database every second instead. A run then begins up to a second later if few hosts are idle. Programs that show events to people can go on listening, as long as there are few of them.

**Heartbeats.** A worker renews all its runs with one statement every 2.5 seconds, asks every second whether one was cancelled, and says every 5 seconds that it is there. The search for silent hosts is done about twenty times a second by the whole fleet, however large it is.

**Connections.** A program has a pool of up to ${POOL} connections, of which a worker uses about three at once. One more is for the heartbeats of a worker, and one for notifications if the program listens. An idle connection takes ${connectionMb.toFixed(1)} MB of memory in the server here, and several times that after much use. ${thousands(1_000 * CONNECTIONS_USUAL)} connections of a thousand hosts are too many for Postgres itself, so put PgBouncer in between, in transaction mode. The fleet needs nothing that this mode breaks, except notifications: its locks end with their transactions, and its settings are sent with BEGIN. Use \`listen: false\` there. Tried with PgBouncer 1.18: tables were made, and runs were submitted, worked on and followed.

## From one host to ${thousands(sizes.listen.at(-1).hosts)}

![The time from the submission of a run to its start, by the number of hosts](capacity.svg)

With LISTEN, the default:

${sizeTable(sizes.listen, results)}

With \`listen: false\`:

${sizeTable(sizes.poll, results)}

- **Start** is the time from the submission of a run to its claim: the median, and the 95th percentile, of the runs that find a free slot. The others wait until a slot is free. The start of the CLI comes after it.
- **Claims** is the part of the time in which a claim is being made.
- **Cores** is how many of the server's ${server.cores} cores are busy.
- **Log** is what Postgres writes to its write-ahead log, and **stored** is how much its tables grow, if nothing is deleted.

## Volume and retention

What an agent writes depends on what it does. The simulation has a round with the model every ten seconds: three seconds of text in pieces of 200 ms, two messages, and one tool call. Texts are joined to one event each 200 ms, and deleted when the segment ends. Messages stay, once as events and once as lines of the transcript. A line of 1,000 characters takes ${thousands(rowBytes.entry)} bytes on disk with its index, and the rows of a run itself ${thousands(rowBytes.run)} bytes.

\`fleet.prune()\` deletes runs that were settled before a time. How long you can keep runs is the size of your disk divided by the column "stored". Run it every day, so that autovacuum keeps up; the space of deleted rows is used again, but not given back to the system.

A transcript is read as a whole when a session is continued. A session of 50 MB therefore makes each continuation slow, whatever the size of the fleet.

## What lifts the limit

| limit | what lifts it |
|---|---|
| the time of a claim | a database in the same data centre; longer runs instead of many short ones |
| notifications | \`listen: false\` in workers |
| cores of the server | a larger server. The work of events, transcripts and heartbeats is spread over all cores; only claims are not |
| the disk | a disk with short flushes (a commit waits ${fixed(flushMs)} ms here); commits of the same moment share a flush |
| connections | PgBouncer |
| all of them | several fleets by tenant: the limits and budgets of a tenant need one database, those of different tenants do not. A gateway sends each tenant to its fleet |

Several queues (\`labels\`) do not lift it: all queues of a fleet share the lock of the claims, because a tenant's limits hold over all queues. Several schemas in one database have a lock each, and share everything else.

Read replicas do not help: almost all statements write, or must see what was just written.

## The measured times

${timesTable(operations)}

${factSentence(facts)} A commit waits ${fixed(flushMs)} ms for the disk. "Program" is the processor time of the program, "Postgres" that of the server. The last column is how often the program waits for an answer.

## The model, and a check

The simulation (\`bench/fleet-capacity.js\`) has hosts with slots that submit, claim, work and settle, with heartbeats and polls as the worker has them. An operation takes its measured processor time, on one of the server's cores, and its round trips. Claims wait for one lock, and commits for the disk. Runs arrive at random, and take times at random (exponentially distributed). The random numbers have a seed, so the same times give the same page.

One situation was measured and simulated alike: ${thousands(times.trial.runs)} runs that only wait for ${times.trial.runMs} ms, on ${times.trial.slots} slots of one program, on one machine with its database.

| | runs a second |
|---|---|
| measured | ${fixed(times.trial.perSecond)} |
| simulated | ${fixed(results.trial.perSecond.settle)} |

## What is not in it

- **More than one machine was not measured.** The rows beyond one host are a simulation. Try your own load before you rely on them.
- Locks between transactions of the same session, vacuum, checkpoints, replicas and failovers.
- The hosts themselves: a CLI takes up to 350 MB of memory, and its start half a second of a processor.
- The limits of the API, which are usually lower than all of these.

## Measure your own server

\`node bench/fleet-service-times.js <URL of an empty database>\` measures the times, on Node 22. \`node bench/fleet-capacity.js\` writes this page with them.
`;
};

const POOL = 8;
const CONNECTIONS_USUAL = 5;

function claimTable(times) {
  const head = `| the database is in | ${RUNNING.map((running) => `${thousands(running)} runs running`).join(" | ")} |`;
  const line = `|---|${RUNNING.map(() => "---").join("|")}|`;
  const rows = ROUND_TRIPS.map(([place, roundTripMs]) => {
    const rates = RUNNING.map((running) => 1_000 / claimHoldMs(times, { roundTripMs, running }));
    return `| ${place}${roundTripMs === 0 ? "" : ` (${roundTripMs} ms)`} | ${rates.map(fixed).join(" | ")} |`;
  });
  return [head, line, ...rows].join("\n");
}

function hostTable(claimsPerSecond, agent) {
  const lengths = [
    ["5 seconds", 5],
    ["30 seconds", 30],
    ["2 minutes", 120],
    ["10 minutes", 600],
  ];
  const cells = lengths.map(([, runSeconds]) =>
    thousands(roughly(hostsFor(claimsPerSecond, { ...agent, runSeconds }))),
  );
  return [
    `| runs of | ${lengths.map(([words]) => words).join(" | ")} |`,
    `|---|${lengths.map(() => "---").join("|")}|`,
    `| hosts | ${cells.join(" | ")} |`,
  ].join("\n");
}

function sizeTable(rows, { times, agent }) {
  const head = "| hosts | runs an hour | start | claims | cores | log, a day | stored, a day |";
  const cells = rows.map((row) => {
    const { hosts, pickUpMs, claimLock, coresBusy, isOverloaded } = row;
    const runsAnHour = Math.round((hosts * agent.slots * agent.load * 3_600_000) / agent.runMs);
    if (isOverloaded) {
      return `| ${thousands(hosts)} | ${thousands(runsAnHour)} | overloaded | – | – | – | – |`;
    }
    const { walGb, storedGb } = volumeOf(row, times, {
      ...agent,
      linesPerSecond: LINES_PER_SECOND,
    });
    const start = pickUpMs.map((ms) => thousands(Math.round(ms))).join(", ");
    return `| ${thousands(hosts)} | ${thousands(runsAnHour)} | ${start} ms | ${percent(claimLock)} | ${coresBusy.toFixed(1)} | ${gigabytes(walGb)} | ${gigabytes(storedGb)} |`;
  });
  return [head, "|---|---|---|---|---|---|---|", ...cells].join("\n");
}

/** Two messages every ten seconds, each of them as a line of the transcript and as an event of the same size. */
const LINES_PER_SECOND = 0.4;

function timesTable(operations) {
  const rows = Object.entries(OPERATIONS).map(([name, words]) => {
    const { hostMs, databaseMs, roundTrips } = operations[name];
    return `| ${words} | ${hostMs.toFixed(2)} ms | ${databaseMs.toFixed(2)} ms | ${roundTrips} |`;
  });
  return ["| operation | program | Postgres | round trips |", "|---|---|---|---|", ...rows].join(
    "\n",
  );
}

function factSentence({ date, processor, cores, node, postgres }) {
  return `Measured on ${date} with Postgres ${postgres} and Node ${node} on ${cores} cores (${processor}), program and database on the same machine.`;
}

/** How many cores the listeners of two sizes need. */
function notifyCores({ times, agent }) {
  const coresFor = (hosts) => {
    const perSecond = hosts * agent.slots * agent.load * agent.writesPerSecond.event;
    return (perSecond * hosts * times.signalMs) / 1_000;
  };
  return [100, 300]
    .map((hosts) => `${coresFor(hosts).toFixed(1)} cores at ${hosts} hosts`)
    .join(", and ");
}

/** The largest size that is not overloaded. */
function largestOf(rows) {
  return thousands(rows.findLast(({ isOverloaded }) => !isOverloaded)?.hosts ?? 0);
}

function fixed(value) {
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}

function micro(ms) {
  return (ms * 1_000).toFixed(0);
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/** Two digits are as much as a simulation knows. */
function roughly(value) {
  return Number(value.toPrecision(2));
}

function gigabytes(value) {
  return `${value < 1 ? value.toFixed(2) : thousands(roughly(value))} GB`;
}

function thousands(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}
