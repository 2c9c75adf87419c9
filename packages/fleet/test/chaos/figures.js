/** The figures of a chaos run, for its report. */
export function figuresOf(facts, { faults, submitted, starts, settleSeconds, totalSeconds }) {
  const { runs, segments, charges, requests, executions, intents, approvals, answers } = facts;
  return {
    submitted,
    runs: counted(runs, ({ state }) => state),
    errors: counted(
      runs.filter(({ error }) => error !== null),
      ({ error }) => JSON.parse(error).code,
    ),
    segments: counted(segments, ({ end }) => String(end)),
    begun: counted(segments, ({ how }) => how),
    charges: counted(charges, ({ estimated }) => (estimated ? "estimated" : "reported")),
    requests: requests.length,
    executions: executions.length,
    uncertainCalls: intents.filter(({ done }) => !done).length,
    questions: counted(approvals, ({ state }) => state),
    answers: counted(answers, ({ result }) => result),
    faults,
    workerStarts: starts,
    entries: facts.entries.length,
    settleSeconds: Math.round(settleSeconds),
    totalSeconds: Math.round(totalSeconds),
  };
}

function counted(rows, nameOf) {
  const counts = {};
  for (const row of rows) counts[nameOf(row)] = (counts[nameOf(row)] ?? 0) + 1;
  return counts;
}
