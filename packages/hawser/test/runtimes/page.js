/** docs/runtimes.md, from what was seen. */
export function page(scenarios, columns, cli) {
  const head = ["", ...columns.map(({ name, version }) => `${name} (${version})`)];
  const rows = Object.entries(scenarios).map(([scenario, says]) => [
    says,
    ...columns.map(({ cells }) => cells[scenario] ?? "works"),
  ]);
  const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return `# Runtimes

Hawser is tested on Node 20, 22 and 24, on Bun and on Deno, all on Linux x64. The tests use the package as npm installs it, the real CLI ${cli}, and the simulated model of \`hawser/testing\`, which runs on the same runtime.

## Run a TypeScript program

| runtime | command |
| --- | --- |
| Node 20, or Node 22 before 22.18 | \`npx tsx program.mts\` |
| Node 22.18 or newer, Node 24 | \`node program.mts\` |
| Bun | \`bun program.mts\` |
| Deno | \`deno run -A program.mts\` |

Node removes the types and compiles nothing. For example, \`await using\` needs Node 24, or a compiler such as tsx. A program without type annotations is also valid JavaScript: save it as \`program.mjs\`, and every version of Node runs it.

## What is tested

${table.join("\n")}

Each cell is a separate process. "works" means that:

- every result was right;
- no process and no temporary file was left (\`processes()\` is empty);
- the program ended by itself.

On Bun and Deno, no \`node\` is on PATH in these tests: the programs of \`hawser/testing\` run on Bun or Deno too.

**Known problem.** Under Deno, the program of \`record()\` does not end when it is only asked for its version. Hawser stops waiting after five seconds and warns that the version is not known. The call goes on.

The test suite runs under Node 20. \`npm run runtimes -- --suite\` runs it under Node 22 and 24.

\`npm run runtimes -- --write\` writes this page; do not edit it by hand.
`;
}
