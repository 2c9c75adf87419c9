// What can be said without a simulation: limits and volumes, from the measured service times.

/** How long a claim keeps all other claims waiting. */
export function claimHoldMs({ operations, flushMs }, { roundTripMs, running }) {
  const { hostMs, databaseMs, databaseMsPerRun, roundTrips } = operations.claim;
  return hostMs + databaseMs + databaseMsPerRun * running + roundTrips * roundTripMs + flushMs;
}

/** How many hosts a rate of claims keeps busy. */
export function hostsFor(claimsPerSecond, { runSeconds, slots, load }) {
  return (claimsPerSecond * runSeconds) / (slots * load);
}

/** What a fleet writes in a day, from the rates of a simulation: to the log of Postgres, and to its tables. */
export function volumeOf(
  { hosts, perSecond },
  { operations, rowBytes },
  { linesPerSecond, slots, load },
) {
  const logged = Object.entries(perSecond).map(([name, rate]) => rate * operations[name].walBytes);
  const lines = hosts * slots * load * linesPerSecond;
  return {
    walGb: gigabytesADay(logged.reduce((sum, bytes) => sum + bytes, 0)),
    storedGb: gigabytesADay(lines * rowBytes.entry + perSecond.submit * rowBytes.run),
  };
}

function gigabytesADay(bytesPerSecond) {
  return (bytesPerSecond * 86_400) / 1e9;
}
