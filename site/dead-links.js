// Finds links of a built site that lead to no file, or to no place in a file.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** @returns {{ page: string, link: string }[]} */
export function deadLinks(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const pages = files.filter((name) => name.endsWith(".html") && name !== "404.html");
  const ids = new Map();
  return pages.flatMap((page) => {
    const html = readFileSync(join(folder, page), "utf8");
    const links = [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, link]) => link);
    const inside = [...new Set(links)].filter((link) => !/^([a-z]+:|\/\/)/i.test(link));
    return inside
      .filter((link) => !isAlive(folder, page, link, ids))
      .map((link) => ({ page, link }));
  });
}

function isAlive(folder, page, link, ids) {
  const [path = "", place = ""] = link.replaceAll("&amp;", "&").split("#");
  const target = path === "" ? page : resolve(page, decodeURIComponent(path.split("?")[0] ?? ""));
  const file = [target, `${target}.html`, posix.join(target, "index.html")]
    .map((name) => join(folder, name))
    .find((name) => existsSync(name) && statSync(name).isFile());
  if (file === undefined) return false;
  if (place === "" || !file.endsWith(".html")) return true;
  if (!ids.has(file)) {
    const html = readFileSync(file, "utf8");
    ids.set(file, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)));
  }
  return ids.get(file).has(decodeURIComponent(place));
}

function resolve(page, path) {
  return path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(page), path);
}
