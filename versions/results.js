import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { PINNED, VERSIONS } from "./versions.js";

/**
 * The outcomes of the last run of each version, kept in the repository so that the page can be made again.
 * @typedef {object} Results
 * @property {string} pinned the version that the repository was pinned to
 * @property {readonly CheckFacts[]} checks
 * @property {Readonly<Record<string, OfVersion>>} versions
 */

/** @typedef {Pick<import("./outcome.js").Check, "id" | "group" | "title" | "isGuard">} CheckFacts */

/**
 * @typedef {object} OfVersion
 * @property {string} date
 * @property {string} system
 * @property {Cells} cells
 */

/**
 * The cells of one version, by the id of the check.
 * @typedef {Readonly<Record<string, import("./outcome.js").Cell>>} Cells
 */

const FILE = new URL("./results.json", import.meta.url);

/** @returns {Results} */
export function readResults() {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

/**
 * Puts cells of one version into the file: of all checks, or of some if the others are there already. Versions
 * and checks that are no longer in their lists go.
 * @param {string} version
 * @param {Cells} cells
 * @param {readonly import("./outcome.js").Check[]} checks
 */
export function writeResults(version, cells, checks) {
  const date = new Date().toISOString().slice(0, 10);
  const system = `${platform()}-${arch()}, Node ${process.versions.node}`;
  const before = existsSync(FILE) ? readResults().versions : {};
  const merged = { ...before[version]?.cells, ...cells };
  // A column with holes would show less than it seems to.
  if (!checks.every(({ id }) => id in merged)) return;
  const ordered = Object.fromEntries(checks.map(({ id }) => [id, merged[id]]));
  const all = { ...before, [version]: { date, system, cells: ordered } };
  /** @type {Results} */
  const results = {
    pinned: PINNED,
    checks: checks.map(({ run: _, ...facts }) => facts),
    versions: Object.fromEntries(
      VERSIONS.flatMap((each) => (all[each] === undefined ? [] : [[each, all[each]]])),
    ),
  };
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}
