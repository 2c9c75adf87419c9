// A program whose worker makes three calls. Prints how they and the worker ended.
import cluster from "node:cluster";
import { once } from "node:events";
import { DIST } from "../../../../tools/dist.js";

if (cluster.isPrimary) {
  const worker = cluster.fork();
  const stops = [];
  worker.on("message", (stop) => stops.push(stop));
  const [code, signal] = await once(worker, "exit");
  console.log(`${stops.join(", ")}: exit ${code ?? signal}`);
} else {
  const { complete } = await import(`${DIST}/index.js`);
  const { fakeCli } = await import(`${DIST}/testing/index.js`);
  const cli = await fakeCli();
  for (let calls = 0; calls < 3; calls += 1) {
    const { stop } = await complete("Go.", { cliPath: cli.path });
    process.send?.(stop);
  }
  await cli.dispose();
  process.disconnect();
}
