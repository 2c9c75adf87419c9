/**
 * Runs `measure(name, round)` for every name in each round, so that all names meet the same state of the
 * machine. Each round has another order. The rounds before round 0 only warm up: files get into the disk
 * cache, and code gets compiled. Returns the values of the other rounds by name.
 */
export async function interleaved(names, { rounds, warmUps = 1 }, measure) {
  /** @type {Record<string, any[]>} */
  const values = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const name of rotated(names, round + warmUps)) {
      const value = await measure(name, round);
      if (round >= 0) values[name].push(value);
    }
  }
  return values;
}

function rotated(names, by) {
  const at = by % names.length;
  return [...names.slice(at), ...names.slice(0, at)];
}
