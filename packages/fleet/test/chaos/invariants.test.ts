import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Queryable } from "../../src/database/database.js";
import {
  createRunWorld,
  doneWith,
  type RunProgram,
  type RunWorld,
  silence,
} from "../support/run-world.js";
import { INVARIANTS, violations } from "./invariants.js";
import { readTables } from "./read-facts.js";

type Facts = Parameters<typeof violations>[0];

const PRICE = 0.01;
const QUESTION = randomUUID();

let world: RunWorld;
let program: RunProgram;
/** A run whose first host was lost in a tool, and a run that asked a person. */
const ids = { lost: "", asked: "" };

beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
  ids.lost = await runWithLostHost();
  ids.asked = await runWithQuestion();
});
afterAll(() => world[Symbol.asyncDispose]());

async function runWithLostHost(): Promise<string> {
  const { id } = await program.submit({ tenant: "one", key: "chaos-0" });
  const first = await program.claim("host-1");
  await writeIntent(first, "toolu_a", "r0.0.1.tool", false);
  await writeEntries(first, 2);
  await silence(program, first);
  const second = await program.claim("host-2");
  await writeEntries(second, 2);
  await program.claims.settle(second, doneWith("It is done.", PRICE));
  return id;
}

async function runWithQuestion(): Promise<string> {
  const { id } = await program.submit({ tenant: "two", key: "chaos-1" });
  const claim = await program.claim("host-1");
  await writeIntent(claim, "toolu_b", "r1.0.1.ask", true);
  await program.rows(
    `insert into hawser.approval (id, run_id, tool_use_id, tenant, session_id, epoch, question, state, decision,
       answered_by, settled_at)
     values ($1, $2, 'toolu_b', 'two', $3, $4, '{}', 'answered', '{"behavior":"allow"}', 'person-1', now())`,
    [QUESTION, id, claim.run.sessionId, claim.epoch],
  );
  await program.claims.addEvents(claim, [
    { type: "answered", approval: QUESTION, outcome: "answered", by: "person-1" },
  ]);
  await program.claims.settle(claim, doneWith("It is done.", 2 * PRICE));
  return id;
}

type Claim = Awaited<ReturnType<RunProgram["claim"]>>;

async function writeIntent(claim: Claim, id: string, mark: string, done: boolean): Promise<void> {
  await program.rows(
    `insert into hawser.intent (run_id, tool_use_id, segment, epoch, tool, input, done)
     values ($1, $2, $3, $4, 'Bash', $5, $6)`,
    [
      claim.run.id,
      id,
      claim.segment,
      claim.epoch,
      JSON.stringify({ command: `record ${mark} 1` }),
      done,
    ],
  );
}

async function writeEntries({ run, epoch }: Claim, count: number): Promise<void> {
  await program.rows(
    `insert into hawser.entry (session_id, seq, uuid, epoch, body)
     select id, next_seq + n, gen_random_uuid(), $2, '{}' from hawser.session, generate_series(0, $3 - 1) as n
     where id = $1`,
    [run.sessionId, epoch, count],
  );
  await program.rows("update hawser.session set next_seq = next_seq + $2 where id = $1", [
    run.sessionId,
    count,
  ]);
}

/** The tables as they are in this transaction, with logs that agree with the unharmed ones. */
async function readFacts(db: Queryable): Promise<Facts> {
  const tables = await readTables(db);
  const began = (run: string, segment: number): number =>
    tables.segments.find((row) => row.run_id === run && row.segment === segment)?.began ?? 0;
  const request = (run: string, segment: number, more: object = {}) => ({
    segment: `${run}/${segment}`,
    at: began(run, segment) + 1,
    told: [],
    results: {},
    ...more,
  });
  const call = (id: string, mark: string) => ({ call: { id, mark } });
  return {
    ...tables,
    requests: [
      request(ids.lost, 1, call("toolu_a", "r0.0.1.tool")),
      request(ids.lost, 2, { told: ["r0.0.1.tool"] }),
      request(ids.asked, 1, call("toolu_b", "r1.0.1.ask")),
      request(ids.asked, 1, { results: { "r1.0.1.ask": "recorded" } }),
    ],
    answers: [
      {
        approval: QUESTION,
        mark: "r1.0.1.ask",
        by: "person-1",
        behavior: "allow",
        result: "counted",
      },
      {
        approval: QUESTION,
        mark: "r1.0.1.ask",
        by: "person-2",
        behavior: "allow",
        result: "too_late",
      },
    ],
    executions: [
      { mark: "r0.0.1.tool", at: 1 },
      { mark: "r1.0.1.ask", at: 1 },
    ],
    planned: [
      { key: "chaos-0", number: 0, steps: ["tool"] },
      { key: "chaos-1", number: 1, steps: ["ask"] },
    ],
    priceUsd: PRICE,
    thaws: [],
    processes: [],
  };
}

interface Plant {
  /** A statement that harms the tables. */
  readonly sql?: string;
  /** Harms the logs. */
  readonly logs?: (facts: Facts) => Partial<Facts>;
  readonly found: RegExp;
}

const LOST = "(select id from hawser.run where key = 'chaos-0')";
const ASKED = "(select id from hawser.run where key = 'chaos-1')";
const SESSION = "(select session_id from hawser.run where key = 'chaos-0')";

const PLANTS: Readonly<Record<keyof typeof INVARIANTS, Readonly<Record<string, Plant>>>> = {
  everyRunIsSettledOnce: {
    "a run that is not settled": {
      sql: "update hawser.run set state = 'waiting', ended_at = null where key = 'chaos-1'",
      found: /chaos-1 is waiting/,
    },
    "a run that was never accepted": {
      logs: ({ planned }) => ({ planned: [...planned, { key: "chaos-2", number: 2, steps: [] }] }),
      found: /chaos-2 exists 0 times/,
    },
    "a run that ended twice": {
      sql: `with more as (insert into hawser.event (run_id, seq, type, data)
          select run_id, seq + 1, type, data from hawser.event where run_id = ${ASKED} and type = 'ended')
        update hawser.run set next_event = next_event + 1 where key = 'chaos-1'`,
      found: /chaos-1 has 2 events "ended"/,
    },
    "an event after the end": {
      sql: `with more as (insert into hawser.event (run_id, seq, type, data)
          select id, next_event, 'message', '{}' from hawser.run where key = 'chaos-1')
        update hawser.run set next_event = next_event + 1 where key = 'chaos-1'`,
      found: /chaos-1 has the event "message" last/,
    },
    "events that are lost": {
      sql: "update hawser.run set next_event = next_event + 1 where key = 'chaos-1'",
      found: /chaos-1 has lost events/,
    },
    "a run that is done without an outcome": {
      sql: "update hawser.run set outcome = null where key = 'chaos-1'",
      found: /chaos-1 is done with an outcome or error that does not fit/,
    },
    "a run that is counted twice": {
      sql: "update hawser.spend set runs = runs + 1 where tenant = 'two'",
      found: /2 runs were begun, and 3 are counted/,
    },
  },
  everySegmentIsChargedOnce: {
    "a segment without a charge": {
      sql: `delete from hawser.charge where run_id = ${ASKED}`,
      found: /has 0 charges/,
    },
    "a charge without a segment": {
      sql: `insert into hawser.charge (run_id, segment, tenant, account, cost_usd, estimated)
        values (${ASKED}, 2, 'two', 'default', 0, false)`,
      found: /Charge .*\/2 has no segment/,
    },
    "a segment that never ended": {
      sql: `update hawser.segment set "end" = null where run_id = ${ASKED}`,
      found: /is open/,
    },
  },
  sumsAgree: {
    "a tenant that paid twice": {
      sql: "update hawser.spend set cost_usd = cost_usd * 2 where tenant = 'two'",
      found: /two has spent 0\.04, its charges are 0\.02/,
    },
    "an estimate that is not counted as one": {
      sql: "update hawser.spend set estimated_usd = estimated_usd + 1 where tenant = 'one'",
      found: /one has .* estimated/,
    },
    "a run that paid less than its charges": {
      sql: "update hawser.run set cost_usd = 0 where key = 'chaos-1'",
      found: /chaos-1 costs 0, its charges are 0\.02/,
    },
    "a tenant without a sum": {
      sql: "delete from hawser.spend where tenant = 'two'",
      found: /two has charges and no spend/,
    },
  },
  costsFollowRequests: {
    "a lost segment without an estimate": {
      sql: `update hawser.charge set estimated = false where run_id = ${LOST} and segment = 1`,
      found: /was lost after 1 requests and has no estimate/,
    },
    "an estimate although the CLI said the cost": {
      sql: `update hawser.charge set estimated = true where run_id = ${ASKED}`,
      found: /is done and estimated/,
    },
    "a request that nobody paid": {
      logs: ({ requests }) => ({ requests: [...requests, ...requests.slice(-1)] }),
      found: /made 3 requests for 0\.03 USD and is charged 0\.02/,
    },
  },
  everyRequestIsBooked: {
    "a request of an unknown segment": {
      logs: ({ requests }) => ({ requests: [...requests, { ...requests[0], segment: "other/1" }] }),
      found: /The request of other\/1 .* is not booked/,
    },
    "a request that names no segment": {
      logs: ({ requests }) => ({ requests: [...requests, { ...requests[0], segment: undefined }] }),
      found: /The request of undefined .* is not booked/,
    },
  },
  transcriptsAreFenced: {
    "a missing entry": {
      sql: `delete from hawser.entry where session_id = ${SESSION} and seq = 1`,
      found: /has entry 2 at place 1/,
    },
    "an entry of a host that had lost the lease": {
      sql: `update hawser.entry set epoch = 1 where session_id = ${SESSION} and seq = 3`,
      found: /has entry 3 of epoch 1 after epoch/,
    },
    "an entry of a future epoch": {
      sql: `update hawser.entry set epoch = 99 where session_id = ${SESSION} and seq = 3`,
      found: /has an entry of the epoch 99/,
    },
    "a last entry that is gone": {
      sql: `delete from hawser.entry where session_id = ${SESSION} and seq = 3`,
      found: /has 3 entries and the next number 4/,
    },
  },
  segmentsDoNotOverlap: {
    "a segment that began too early": {
      sql: `update hawser.segment set ended_at = ended_at + interval '1 hour' where run_id = ${LOST} and segment = 1`,
      found: /began before .* had ended/,
    },
    "a request after the next segment began": {
      logs: ({ requests }) => ({
        requests: requests.map((each, place) =>
          place === 0 ? { ...each, at: each.at + 3_600_000 } : each,
        ),
      }),
      found: /made a request \d+ ms after .* began/,
    },
    "a request before its segment began": {
      logs: ({ requests }) => ({
        requests: requests.map((each, place) => (place === 0 ? { ...each, at: 1 } : each)),
      }),
      found: /made a request before it began/,
    },
  },
  everyQuestionIsAnsweredOnce: {
    "an open question": {
      sql: "update hawser.approval set state = 'open'",
      found: /Question .* is open/,
    },
    "two answers that counted": {
      logs: ({ answers }) => ({ answers: answers.map((each) => ({ ...each, result: "counted" })) }),
      found: /was answered 2 times/,
    },
    "an answer that nobody gave": {
      logs: () => ({ answers: [] }),
      found: /No answer to question .* counted/,
    },
    "an answer of somebody else": {
      sql: "update hawser.approval set answered_by = 'person-2'",
      found: /person-1 counted, not person-2/,
    },
    "an answer that is told twice": {
      sql: `insert into hawser.event (run_id, seq, type, data)
        select run_id, 0, type, data from hawser.event where type = 'answered'`,
      found: /has 2 answers told/,
    },
    "a denied call that ran": {
      sql: `update hawser.approval set decision = '{"behavior":"deny"}'`,
      found: /Call r1\.0\.1\.ask was denied and ran/,
    },
    "an answer that counted although the question was withdrawn": {
      sql: "update hawser.approval set state = 'withdrawn'",
      found: /is withdrawn, and an answer counted/,
    },
  },
  uncertainCallsAreNamed: {
    "an outcome that hides a call": {
      sql: `update hawser.run set outcome = '{"uncertainTools":[]}' where key = 'chaos-0'`,
      found: /Call r0\.0\.1\.tool .* is uncertain and not named in the outcome/,
    },
    "a model that was not told": {
      logs: ({ requests }) => ({ requests: requests.map((each) => ({ ...each, told: [] })) }),
      found: /Call r0\.0\.1\.tool .* is uncertain, and the model was not told/,
    },
  },
  stepsAreNotRepeatedSilently: {
    "a call that ran twice": {
      logs: ({ executions }) => ({ executions: [...executions, ...executions] }),
      found: /Call r1\.0\.1\.ask ran 2 times/,
    },
    "a call that never ran": {
      logs: ({ executions }) => ({ executions: executions.slice(0, 1) }),
      found: /Step 0 of run chaos-1 took effect 0 times, and nothing says so/,
    },
    "a call that nobody asked for": {
      logs: ({ executions }) => ({ executions: [...executions, { mark: "r9.0.1.tool", at: 1 }] }),
      found: /Nobody asked for r9\.0\.1\.tool/,
    },
    "a call that was not written down": {
      sql: `delete from hawser.intent where run_id = ${ASKED}`,
      found: /Call r1\.0\.1\.ask ran without having been written down/,
    },
  },
  nothingIsLeft: {
    "a lease": {
      sql: `update hawser.session set holder = 'host-1', expires_at = now() where id = ${SESSION}`,
      found: /is leased by host-1/,
    },
    "a reservation of a tenant": {
      sql: "update hawser.spend set reserved_usd = 0.5 where tenant = 'two'",
      found: /two has 0\.5 USD reserved/,
    },
    "a reservation of a run": {
      sql: "update hawser.run set reserved_usd = 0.5 where key = 'chaos-1'",
      found: /Run chaos-1 has 0\.5 USD reserved/,
    },
    "a job": {
      sql: `update hawser_boss.job set state = 'retry' where data ->> 'run' = ${ASKED}::text`,
      found: /Job .* is retry/,
    },
    "a process": {
      logs: () => ({ processes: ["claude -p"] }),
      found: /A process is left: claude -p/,
    },
  },
};

describe("violations()", () => {
  it("finds nothing where everything holds", async () => {
    expect(violations(await readFacts(program.database))).toEqual([]);
  });

  for (const [invariant, plants] of Object.entries(PLANTS)) {
    describe(invariant, () => {
      for (const [title, plant] of Object.entries(plants)) {
        it(`finds ${title}`, async () => {
          const problems = await problemsWith(plant, invariant);
          expect(problems.filter((problem) => plant.found.test(problem))).not.toEqual([]);
        });
      }
    });
  }
});

/** What the invariant says about the harmed facts. The tables are as before afterwards. */
async function problemsWith({ sql, logs }: Plant, invariant: string): Promise<string[]> {
  let problems: string[] | undefined;
  const undone = new Error("The harm is undone.");
  const planted = program.database.transaction(async (db) => {
    const before = await readFacts(db);
    if (sql !== undefined) {
      const { rowCount } = await db.query(sql);
      expect(rowCount).toBeGreaterThan(0);
    }
    const facts = { ...before, ...(await readTables(db)) };
    problems = INVARIANTS[invariant]?.({ ...facts, ...logs?.(facts) });
    throw undone;
  });
  await expect(planted).rejects.toBe(undone);
  if (problems === undefined) throw new Error(`There is no invariant ${invariant}.`);
  return problems;
}
