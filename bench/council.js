// Measures a council of three reviewers beside a council of one of them, on the real CLI over one warm pool. The
// simulated model takes two seconds for a vote. Both councils take turns in one run.
import { createPool } from "hawser";
import { council, DEFAULT_REVIEWERS } from "hawser/council";
import { always, reply, toolUse } from "hawser/testing";
import { openPlace } from "../tools/place.js";
import { ratioFigure } from "./figures.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 15;
const MODEL_MS = 2_000;

const VOTE = {
  verdict: "approve",
  confidence: 0.9,
  summary: "It is good.",
  reasons: "I have read it.",
  conditions: [],
  findings: [],
  recommendation: "Merge it.",
};

const SEATS = { one: DEFAULT_REVIEWERS.slice(0, 1), three: DEFAULT_REVIEWERS };

export async function run(rounds = ROUNDS) {
  const place = await openPlace();
  place.model.add(always(() => reply(toolUse("StructuredOutput", VOTE), { delayMs: MODEL_MS })));
  const pool = createPool({ size: { max: DEFAULT_REVIEWERS.length } });
  try {
    const { one, three } = await interleaved(Object.keys(SEATS), { rounds, warmUps: 2 }, (name) =>
      timeOf(SEATS[name], pool, place),
    );
    return {
      figures: [
        ratioFigure({
          id: "council",
          figure: "council of three over a warm pool, the model takes 2 s, ms",
          against: "council of one",
          hawser: three,
          other: one,
          atMost: 1.3,
        }),
      ],
    };
  } finally {
    await pool.close();
    await place.close();
  }
}

async function timeOf(reviewers, pool, { cli, env, cwd }) {
  const options = { cliPath: cli, env, inheritEnv: false, cwd };
  const startedAt = performance.now();
  const { votes, absences } = await council({ reviewers, subject: SUBJECT, pool, options }).report;
  const ms = performance.now() - startedAt;
  if (votes.length !== reviewers.length) throw absences[0].error;
  return ms;
}

const SUBJECT = "+ const port = Number(process.env.PORT);\n".repeat(50);
