// Some registries do not carry every platform's build of a tool. npm then leaves those builds out of
// package-lock.json, and `npm ci` refuses the file for it. This adds them by name and version, with
// the platform that they are for, so that npm passes over them everywhere else. Run it after
// `npm install` has written the file.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const file = join(process.argv[2] ?? ".", "package-lock.json");
const lock = JSON.parse(readFileSync(file, "utf8"));
const systems = "aix android darwin freebsd linux netbsd openbsd openharmony sunos win32".split(
  " ",
);
const added = [];

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(path, name)) continue;
    lock.packages[`node_modules/${name}`] = {
      version,
      dev: true,
      optional: true,
      ...platform(name),
    };
    added.push(`${name}@${version}`);
  }
}

lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? "nothing was missing" : `added ${added.join(", ")}`);

function isLocked(path, name) {
  return [`${path}/node_modules/${name}`, `node_modules/${name}`].some(
    (key) => key in lock.packages,
  );
}

/** From a name such as `@scope/binding-linux-arm64-musl`. */
function platform(name) {
  const words = name.split("/").at(-1).split("-");
  const at = words.findIndex((word) => systems.includes(word));
  if (at < 0) return { cpu: [words.at(-2)] };
  const abi = words.slice(at + 2).join("-");
  const libc = abi.startsWith("musl") ? "musl" : "glibc";
  return {
    cpu: [words[at + 1]],
    os: [words[at]],
    ...(words[at] === "linux" && abi !== "" && !abi.startsWith("gnueabi") ? { libc: [libc] } : {}),
  };
}
