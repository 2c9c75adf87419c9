// A program with several CLIs. It exits when it gets a line.
import { DIST } from "../../../../tools/dist.js";

const { SubprocessTransport } = await import(`${DIST}/index.js`);
const { cliPath, env, count } = JSON.parse(process.argv[2]);
const transports = [];
for (let i = 0; i < count; i += 1) {
  const transport = new SubprocessTransport({ cliPath, env });
  await transport.connect();
  transports.push(transport);
}
console.log(transports.map(({ pid }) => pid).join(" "));
process.stdin.once("data", () => process.exit(0));
