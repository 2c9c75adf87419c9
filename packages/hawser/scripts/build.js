// Builds dist. The code is bundled, because importing hundreds of files takes three times as long, but
// it is not minified, so that a stack trace or a debugger shows code that can be read. All modules that
// the root imports are one file, dist/shared/hawser.js. The subpaths and the command import that file
// too, so that a class of the root and the same class of a subpath are one object. What the root loads
// on demand, by import(), is in files of its own. The declarations are joined in the same way.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { rolldown } from "rolldown";
import { compile } from "../../../tools/compiler.js";
import { joinDeclarations } from "./declarations.js";
import { copyPages, withAddress } from "./pages.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const src = join(root, "src");
const dist = join(root, "dist");

/** Of these modules of Node the root uses only functions. Each takes about 3.5 ms to load. */
const ON_FIRST_CALL = new Set(["node:child_process", "node:crypto", "node:net"]);

rmSync(dist, { recursive: true, force: true });
preparePackage();
compile("-p", join(root, "tsconfig.build.json"));
const exported = await bundle("js", {
  index: "index.ts",
  "answer/index": "answer/index.ts",
  "council/index": "council/index.ts",
  "providers/index": "providers/index.ts",
  "testing/index": "testing/index.ts",
  "bin/main": "bin/main.ts",
  // An entry, not a part of a shared file, because it finds hawser/testing relative to its own path.
  "bin/offline/world": "bin/offline/world.ts",
});
// hawser/testing copies these programs, together with the files beside them, to another folder and
// runs them there.
await bundle("mjs", { "testing/fake-cli/main": "testing/fake-cli/main.mjs" });
await bundle("mjs", {
  "testing/cassette/program/player": "testing/cassette/program/player.mjs",
  "testing/cassette/program/recorder": "testing/cassette/program/recorder.mjs",
});
// Not in the package. The benchmarks measure this layer alone.
await bundle("js", { "wire/index": "wire/index.ts" });
const declared = ["index", "answer/index", "council/index", "providers/index", "testing/index"];
joinDeclarations(dist, Object.fromEntries(declared.map((entry) => [entry, exported.get(entry)])));

function preparePackage() {
  const repository = join(root, "../..");
  const { repository: address } = JSON.parse(
    readFileSync(join(repository, "package.json"), "utf8"),
  );
  const file = join(root, "package.json");
  const before = readFileSync(file, "utf8");
  const manifest = withAddress(JSON.parse(before), address);
  const after = `${JSON.stringify(manifest, null, 2)}\n`;
  if (after !== before) writeFileSync(file, after);
  copyPages(repository, root, { address, version: manifest.version });
}

/**
 * Returns the names that each entry exports.
 * @returns {Promise<{ get(entry: string): any }>}
 */
async function bundle(extension, entries) {
  const input = Object.entries(entries).map(([name, file]) => [name, join(src, file)]);
  /** The modules that the root imports, directly or not. @type {Set<string>} */
  const ofRoot = new Set();
  const bundled = await rolldown({
    input: Object.fromEntries(input),
    platform: "node",
    external: /^node:/,
    resolve: { extensionAlias: { ".js": [".ts"] } },
    plugins: [
      {
        name: "modules-of-the-root",
        buildEnd() {
          if ("index" in entries) collectImports(join(src, entries.index), ofRoot, this);
        },
      },
    ],
  });
  const isProgram = extension === "mjs";
  const beside = isProgram ? Object.keys(entries)[0].replace(/[^/]*$/, "") : "shared/";
  const { output } = await bundled.write({
    dir: dist,
    format: "esm",
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `${beside}[name].${extension}`,
    codeSplitting: {
      groups: [
        { name: "hawser", test: (id) => ofRoot.has(id) },
        { name: "transcripts", test: join(src, "transcripts") },
        { name: "schema", test: join(src, "schema") },
      ],
    },
    minifyInternalExports: false,
    // The declarations keep the comments, because editors read them there.
    comments: false,
    // hawser/testing copies the programs to other folders, without maps. The programs are plain
    // JavaScript, so their bundles differ little from their sources.
    sourcemap: !isProgram,
  });
  const chunks = output.filter((each) => each.type === "chunk");
  for (const { fileName, sourcemapFileName, moduleIds } of chunks) {
    if (!sourcemapFileName) continue;
    if (moduleIds.every((id) => id.startsWith(join(src, "bin")))) removeMap(join(dist, fileName));
    else shrinkMap(join(dist, sourcemapFileName));
  }
  for (const { fileName, name } of chunks) {
    if (name === "hawser") speedUpImport(join(dist, fileName));
  }
  return new Map(chunks.map(({ name, exports }) => [name, exports]));
}

function collectImports(id, found, context) {
  if (found.has(id)) return;
  const info = context.getModuleInfo(id);
  if (info === null || id.startsWith("node:")) return;
  found.add(id);
  for (const imported of info.importedIds) collectImports(imported, found, context);
}

/**
 * Makes the file of the root faster to import. Observed on Node 20: 39 ms before, 31 ms after.
 * The map of the file stays true, because each line stays where it is.
 */
function speedUpImport(file) {
  const code = takeBuiltins(readFileSync(file, "utf8"));
  if (/^import .+ from "node:/m.test(code)) throw new Error(`${file}: an import of another form`);
  writeFileSync(file, escapeNonAscii(code));
}

/**
 * Replaces the imports of Node's modules. An import reads every export of such a module, which loads parts of
 * Node that are not used (the streams of node:fs alone take 2 ms). Modules in ON_FIRST_CALL are loaded by the
 * first call of one of their functions.
 */
function takeBuiltins(code) {
  return code.replace(/^import \{ (.+) \} from "(node:.+)";$/gm, (_, names, module) => {
    const load = `process.getBuiltinModule("${module}")`;
    if (!ON_FIRST_CALL.has(module)) return `const { ${names.replaceAll(" as ", ": ")} } = ${load};`;
    const functions = names.split(", ").map((name) => {
      const [theirs, ours = theirs] = name.split(" as ");
      if (!/^[a-z]/.test(theirs)) throw new Error(`${theirs} of ${module} is not a function`);
      return `${ours} = (...args) => ${load}.${theirs}(...args)`;
    });
    return `const ${functions.join(", ")};`;
  });
}

/** V8 keeps a text with one character beyond Latin-1 in two bytes each, and then parses it more slowly. */
function escapeNonAscii(code) {
  return code.replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Only the library has maps: no program of a user has a stack trace through the command. */
function removeMap(file) {
  rmSync(`${file}.map`);
  const code = readFileSync(file, "utf8");
  writeFileSync(file, code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, "\n"));
}

/**
 * Keeps the original file and line of each line, which is all that a stack trace needs, and no copy of the
 * sources. The package would be twice as large with whole maps. All columns are 0, because the column of the
 * first word in a line tells nothing, and compresses badly.
 */
function shrinkMap(file) {
  const { sourcesContent: _, ...map } = JSON.parse(readFileSync(file, "utf8"));
  const lines = decode(map.mappings).map((segments) => {
    const first = segments.find((segment) => segment.length > 1);
    return first === undefined ? [] : [[0, first[1], first[2], 0]];
  });
  // @ts-expect-error: the lists have the lengths that the codec wants.
  writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: encode(lines) }));
}
