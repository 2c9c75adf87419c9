// A host with a session open on the real CLI. It answers each line of its input by one more turn.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DIST } from "../../../../tools/dist.js";

const { openSession } = await import(`${DIST}/index.js`);
const { isolatedEnv, SimulatedModel } = await import(`${DIST}/testing/index.js`);
const model = await SimulatedModel.start({ replies: () => "Well." });
const world = await isolatedEnv({ baseUrl: model.url });
const { env, cwd } = world;
writeFileSync(join(cwd, "precious.txt"), "work of a day");
const session = await openSession({ cliPath: process.argv[2], env, inheritEnv: false, cwd });
console.log(cwd);
for await (const line of createInterface({ input: process.stdin })) {
  console.log(await session.send(line).text());
}
await session.close();
await world.dispose();
await model.close();
