/** docs/runtimes.md, from what was seen. */
export function page(scenarios, columns, cli) {
  const head = ["", ...columns.map(({ name, version }) => `${name} (${version})`)];
  const rows = Object.entries(scenarios).map(([scenario, says]) => [
    says,
    ...columns.map(({ cells }) => cells[scenario] ?? "works"),
  ]);
  const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return `# Runtimes

Written by \`npm run runtimes -- --write\`; do not edit.

The packed package, installed in an empty project, drives the real CLI ${cli} against the simulated
model of \`hawser/testing\`, which runs on the same runtime. Each cell is a process of its own. It works
if all that was asked came out right, no process and no temporary file was left (\`processes()\` is
empty), and the program ended by itself.

${table.join("\n")}

On Bun and Deno no \`node\` is on PATH: the programs of \`hawser/testing\` run on the runtime itself.

Known: under Deno, the program of \`record()\` does not end when it is only asked for its version. The
probe gives it up after five seconds, warns that the version is not known, and the call goes on.

The tests run under Node 20; \`npm run runtimes -- --suite\` runs them under Node 22 and 24.
`;
}
