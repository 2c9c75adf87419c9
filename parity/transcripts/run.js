// Runs the official transcript functions and ours on the same files of the real CLI, and compares their
// results, the files they write and their calls of a store, field by field. Exits with 1 on a difference.
//
//   node parity/transcripts/run.js [--plant]      --plant: a difference that must be found
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as official from "@anthropic-ai/claude-agent-sdk";
import { nativeCli } from "../../tools/native-cli.js";
import { loadOurs } from "./bundle.js";
import { reading, storing, writing } from "./cases.js";
import { crafted, craftedId, writeCrafted } from "./crafted.js";
import { idsIn, Mask } from "./masked.js";
import { replies, writeSessions } from "./sessions.js";
import { spied } from "./spied.js";
import { wantedDifference } from "./wanted.js";

const { transcripts, testing } = await loadOurs();
const ours = process.argv.includes("--plant") ? planted(transcripts) : transcripts;
const root = mkdtempSync(join(tmpdir(), "hawser-transcripts-"));
process.on("exit", () => rmSync(root, { recursive: true, force: true }));
const craftedIds = crafted.map((_lines, index) => craftedId(index + 1));
/** @type {{ same: number, wanted: string[], different: { name: string, official: string, ours: string }[] }} */
const found = { same: 0, wanted: [], different: [] };

// The official functions find their files only by this variable, and may read it only once.
const sides = { official: join(root, "official"), ours: join(root, "ours") };
process.env.CLAUDE_CONFIG_DIR = sides.official;

for (const [version, wrapper] of [
  ["2.1.326", "@anthropic-ai/claude-code"],
  ["2.1.197", "claude-code-2.1.197"],
]) {
  const { ids, cwd } = await prepare(nativeCli(wrapper));
  const since = Date.now();
  const before = idsIn(contentsOf(sides.official));
  /** @returns {[Mask, Mask]} */
  const masks = () => [new Mask(before, since), new Mask(before, since)];
  for (const [name, play] of reading(ids, cwd, craftedIds))
    await compare(version, name, play, masks());
  await compareStores(version, ids, cwd, masks);
  for (const [name, play] of writing(ids, cwd, craftedIds))
    await compare(version, name, play, masks());
  compareFiles(version, before, since);
}
report();

async function prepare(cli) {
  for (const side of Object.values(sides)) rmSync(side, { recursive: true, force: true });
  const model = await testing.SimulatedModel.start({ replies: replies(testing) });
  const world = await testing.isolatedEnv({ baseUrl: model.url });
  const ids = await writeSessions(cli, world);
  writeCrafted(join(world.configDir, "projects"));
  for (const side of Object.values(sides))
    copy(join(world.configDir, "projects"), join(side, "projects"));
  await world.dispose();
  await model.close();
  return { ids, cwd: world.cwd };
}

/** Copies with times to the millisecond, which cpSync alone does not keep. */
function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
  for (const name of readdirSync(from, { recursive: true, encoding: "utf8" })) {
    const seconds = Math.floor(statSync(join(from, name)).mtimeMs) / 1000;
    utimesSync(join(to, name), seconds, seconds);
  }
}

async function compare(version, name, play, [left, right], stores = []) {
  const theirs = await outcome(() => play(official, (o = {}) => o, stores[0]));
  const own = await outcome(() =>
    play(ours, (o = {}) => ({ ...o, configDir: sides.ours }), stores[1]),
  );
  settle(`${version} ${name}`, left.value(theirs), right.value(own));
}

async function compareStores(version, ids, cwd, masks) {
  for (const hidden of [[], ["listSessionSummaries"], ["listSessions"], ["listSubkeys"]]) {
    const [left, right] = masks();
    const stores = [
      spied(new official.InMemorySessionStore(), hidden),
      spied(new ours.InMemorySessionStore(), hidden),
    ];
    const label = hidden.length === 0 ? "store" : `store without ${hidden}`;
    for (const [name, play] of storing(ids, cwd, craftedIds)) {
      await compare(
        version,
        `${label}: ${name}`,
        play,
        [left, right],
        stores.map(({ store }) => store),
      );
      const [theirs, own] = stores.map(({ calls }) => calls.splice(0));
      settle(`${version} ${label}: calls of ${name}`, left.value(theirs), right.value(own));
    }
  }
}

async function outcome(play) {
  try {
    return { gives: (await play()) ?? null };
  } catch (error) {
    return { throws: error instanceof Error };
  }
}

/** The files of both sides, matched by their content, because new files have random names. */
function compareFiles(version, before, since) {
  const [theirs, own] = Object.values(sides).map((side) => {
    const files = readdirSync(side, { recursive: true, encoding: "utf8" }).filter((name) =>
      statSync(join(side, name)).isFile(),
    );
    return files
      .map((name) => {
        const mask = new Mask(before, since);
        const mode = (statSync(join(side, name)).mode & 0o777).toString(8);
        const text = mask.text(readFileSync(join(side, name), "utf8"));
        return { name: mask.text(name), mode, lines: text.trimEnd().split("\n").map(parsed) };
      })
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  });
  settle(`${version} number of files`, theirs.length, own.length);
  for (const [index, file] of theirs.entries())
    settle(`${version} file ${file.name}`, file, own[index]);
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function settle(name, theirs, own) {
  if (isDeepStrictEqual(theirs, own)) found.same += 1;
  else if (wantedDifference(name, theirs, own)) found.wanted.push(name);
  else found.different.push({ name, official: excerpt(theirs, own), ours: excerpt(own, theirs) });
}

/** The texts from their first difference on. */
function excerpt(value, other) {
  const [text, beside] = [JSON.stringify(value) ?? "", JSON.stringify(other) ?? ""];
  const at = [...text].findIndex((character, index) => character !== beside[index]);
  return text.slice(Math.max(0, at - 80), at + 120);
}

function contentsOf(folder) {
  const names = readdirSync(folder, { recursive: true });
  return names
    .map((name) => {
      const path = join(folder, name);
      return statSync(path).isFile() ? `${name}\n${readFileSync(path, "utf8")}` : name;
    })
    .join("\n");
}

function planted(functions) {
  const listSubagents = async (...given) => [
    ...(await functions.listSubagents(...given)),
    "planted",
  ];
  return { ...functions, listSubagents };
}

function report() {
  for (const { name, official: theirs, ours: own } of found.different.slice(0, 20)) {
    console.log(`DIFFERENT ${name}\n  official: ${theirs}\n  ours:     ${own}`);
  }
  console.log(
    `${found.same} same, ${found.wanted.length} differ as wanted, ${found.different.length} differ`,
  );
  process.exitCode = found.different.length > 0 ? 1 : 0;
}
