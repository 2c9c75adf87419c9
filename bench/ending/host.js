// A program that ends CLIs beside other processes: `node host.js <cli> <one by one> <at once>`. Prints the
// CPU time that each end costs this program, and the longest time that its event loop stood still.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { DIST } from "../../tools/dist.js";
import { median } from "../statistics.js";

const [cliPath, oneByOne, atOnce] = process.argv.slice(2);
const { openSession } = await import(pathToFileURL(`${DIST}/index.js`).href);

// The first end runs code that is not compiled yet.
await endOneByOne(await open(3));
const singlesMs = await endOneByOne(await open(Number(oneByOne)));
const together = await endAtOnce(await open(Number(atOnce)));
console.log(JSON.stringify({ singleMs: median(singlesMs), singlesMs, ...together }));

async function open(count) {
  const sessions = [];
  for (let i = 0; i < count; i += 1) sessions.push(await openSession({ cliPath }));
  // What a start leaves to be done is not a part of the end.
  await pause(200);
  return sessions;
}

async function endOneByOne(sessions) {
  const costs = [];
  for (const session of sessions) {
    const before = process.cpuUsage();
    await session.close();
    costs.push(cpuMs(before));
    await pause(20);
  }
  return costs;
}

async function endAtOnce(sessions) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await pause(50);
  delay.reset();
  const before = process.cpuUsage();
  await Promise.all(sessions.map((session) => session.close()));
  const eachMs = cpuMs(before) / sessions.length;
  await pause(5);
  delay.disable();
  return { eachMs, stallMs: delay.max / 1e6 };
}

function cpuMs(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
