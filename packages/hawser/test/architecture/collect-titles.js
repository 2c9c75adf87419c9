// Writes the full names of the tests in the given files as JSON to stdout: [file, name] for each. Runs
// no test. Unlike `vitest list`, it names the tests too that this machine would skip.
import { createVitest } from "vitest/node";

const vitest = await createVitest("test", { watch: false, reporters: [], silent: true });
const specifications = await vitest.globTestSpecifications(process.argv.slice(2));
const { testModules, unhandledErrors } = await vitest.collectTests(specifications);
if (unhandledErrors.length > 0) throw unhandledErrors[0];
const found = testModules.flatMap((each) =>
  [...each.children.allTests()].map(({ fullName }) => [each.relativeModuleId, fullName]),
);
await vitest.close();
process.stdout.write(JSON.stringify(found));
