// What must not stand in a cassette, and what stands there instead. The names and shapes of secrets
// are those of src/base, written out again because this program runs without the library; a
// test holds the two together.
import { existsSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mapStrings } from "./json.mjs";

const MASKED = "***";
const SHORTEST_SECRET = 6;

const SECRET_NAME =
  /(?:api|access|private|secret|signing|encryption|master|_|^)-?_?keys?$|token(?!s)|secret|passw|passphrase|(?:^|[_-])pass$|^sshpass$|(?<!^old)[_-]pwd$|(?:^|[_-])pw$|credential|authorization|bearer|(?:^|[_-])auth(?:$|[_-])|(?:^|[_-])jwt(?:$|[_-])|(?:^|[_-])pat$|(?:^|[_-])headers$|cookie|webhook|(?:^|_)dsn$|database_url|connection_string/i;

/** Bounded, because a regular expression fails on a run of some megabytes. */
const SHAPES = [
  /(\b)sk-[A-Za-z0-9_-]{8,65536}/g,
  /(\b)gh[a-z]_[A-Za-z0-9]{16,65536}/g,
  /(\b)github_pat_[A-Za-z0-9_]{16,65536}/g,
  /(\b)xox[a-z]-[A-Za-z0-9-]{10,65536}/g,
  /(\b)AKIA[A-Z0-9]{16}\b/g,
  /(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{6,65536}/gi,
  /(\b(?:authorization|proxy-authorization|x-api-key|api-key|cookie)\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|basic)\s+)?)(?!\*\*\*|(?:bearer|basic)\s)[^\s"'\\,;}]{4,65536}/gi,
  // Looked for from its colon: from its first letter, a long text would take seconds.
  /(:(?<=\b[a-z][a-z0-9+.-]{0,20}:)\/\/[^\s:/@]{0,256}:)[^\s@/]{1,256}(?=@)/gi,
];

/** Objects whose keys are names of variables or headers: the name says whether the value is secret. */
const NAMED_VALUES = ["env", "headers"];

/** Who is logged in, as the answer to initialize tells it. */
const PERSONAL = ["email", "organization", "organizationUuid", "accountUuid"];

/** A mask for one process, from its environment and the folder it works in. */
export function createMask(env = process.env, cwd = process.cwd()) {
  const places = placesOf(env, cwd);
  const found = [...secretsOf(env), ...placeholders(places)]
    .filter(({ text }) => text !== "")
    .sort((a, b) => b.text.length - a.text.length);
  const known = new Map(found.map(({ text, becomes }) => [text, becomes]));
  const pattern =
    found.length === 0 ? undefined : new RegExp(found.map(({ source }) => source).join("|"), "g");

  const hideText = (text) => {
    let hidden = text;
    if (pattern !== undefined) hidden = hidden.replace(pattern, (match) => known.get(match));
    for (const shape of SHAPES) hidden = hidden.replace(shape, `$1${MASKED}`);
    return hideWebTokens(hidden);
  };
  const hide = (value) =>
    mapStrings(value, (text, key, above) => {
      if (NAMED_VALUES.includes(above) && SECRET_NAME.test(key)) return MASKED;
      if (above === "account" && PERSONAL.includes(key)) return MASKED;
      return hideText(text);
    });
  const reveal = (value) => mapStrings(value, (text) => revealText(text, places, env));
  return { hide, hideText, hideArgument: (text) => hideArgument(text, hide, hideText), reveal };
}

/** One look at each run of a token's characters: a search from every `eyJ` would take seconds. */
function hideWebTokens(text) {
  return text.replace(/[A-Za-z0-9_.-]{17,65536}/g, (run) => {
    const kept = [];
    const segments = run.split(".");
    for (let at = 0; at < segments.length; at++) {
      const start = segments[at].search(/\beyJ/);
      const isToken =
        start >= 0 && segments[at].length - start >= 13 && segments[at + 1]?.length >= 5;
      if (!isToken || at + 2 >= segments.length) kept.push(segments[at]);
      else {
        kept.push(segments[at].slice(0, start) + MASKED);
        at += 2;
      }
    }
    return kept.join(".");
  });
}

/** A value may be JSON, whose inside is masked as any other's. */
function hideArgument(text, hide, hideText) {
  const [, flag, value] = /^(--[\w-]+=)?(\{.*\})$/s.exec(text) ?? [];
  try {
    if (value !== undefined) return (flag ?? "") + JSON.stringify(hide(JSON.parse(value)));
  } catch {
    // Not JSON after all.
  }
  return hideText(text);
}

function secretsOf(env) {
  const secrets = [];
  const add = (text, becomes) => {
    if (text.length >= SHORTEST_SECRET) secrets.push({ text, becomes, source: literally(text) });
  };
  // First, because a variable that holds the same value has a name to be told by.
  for (const [name, value] of Object.entries(env)) {
    if (HEADER_LIST.test(name)) for (const each of headersIn(value)) add(each, MASKED);
  }
  for (const [name, value] of Object.entries(env)) {
    if (!SECRET_NAME.test(name)) continue;
    // On stderr a secret of several lines comes line by line.
    for (const line of value.split(/\r?\n/)) for (const form of formsOf(line)) add(form, MASKED);
    for (const form of formsOf(value)) add(form, MASKED);
    add(value, `<hawser:env:${name}>`);
  }
  return secrets;
}

/** `Name: value` by lines, or `name=value` by commas. */
function headersIn(list) {
  return list.split(/[\r\n,]+/).flatMap((line) => {
    const value = /^\s*[\w.-]+\s*[:=]\s*(.*?)\s*$/.exec(line)?.[1] ?? "";
    return [value, value.replace(/^(?:bearer|basic|token)\s+/i, "")];
  });
}

const HEADER_LIST = /(?:^|[_-])headers$/i;

/** A secret as it stands in JSON, in JSON inside JSON, in an address, in base64. */
function formsOf(secret) {
  if (secret.length < SHORTEST_SECRET) return [];
  const escaped = JSON.stringify(secret).slice(1, -1);
  const twice = JSON.stringify(escaped).slice(1, -1);
  const coded = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  return [secret, escaped, twice, encodeURIComponent(secret.toWellFormed?.() ?? ""), coded];
}

/** What a machine calls its own, by the name that it has in a cassette. */
function placesOf(env, cwd) {
  return {
    cwd: paths(cwd, ...same(env.PWD, cwd)),
    // The default belongs to the home, and is masked as such.
    config: paths(env.CLAUDE_CONFIG_DIR),
    home: paths(env.HOME ?? env.USERPROFILE ?? homedir()),
    // The usual one is the same everywhere.
    tmp: paths(env.TMPDIR || env.TEMP),
    cli: paths(fileURLToPath(new URL("./claude.mjs", import.meta.url))),
    api: hostOf(env.ANTHROPIC_BASE_URL),
  };
}

/** Absolute ones, without a slash at the end, and what they really are if they are links. */
function paths(...given) {
  const clean = given
    .filter((path) => /^(?:[\\/]|[A-Za-z]:)./.test(path ?? ""))
    .map((path) => path.replace(/[\\/]+$/, ""));
  const real = clean.filter((path) => existsSync(path)).map((path) => realpathSync(path));
  return [...new Set([...clean, ...real])].filter((path) => path !== "");
}

function same(path, cwd) {
  try {
    return path !== undefined && realpathSync(path) === realpathSync(cwd) ? [path] : [];
  } catch {
    return []; // One of them is gone: then they are not the same.
  }
}

function hostOf(url) {
  return URL.canParse(url ?? "") ? [new URL(url).host] : [];
}

function placeholders({ api, ...folders }) {
  const list = api.map((text) => ({
    text,
    becomes: "<hawser:api>",
    source: `${literally(text)}(?!\\d)`,
  }));
  // The first name of a path wins: the Map keeps the last, so the list is built from behind.
  for (const [name, given] of Object.entries(folders).reverse()) {
    for (const text of given) {
      list.push({ text, becomes: `<hawser:${name}>`, source: pathSource(text) });
      const slug = slugOf(text);
      list.push({
        text: slug,
        becomes: `<hawser:${name}-slug>`,
        source: `(?<=[\\\\/])${literally(slug)}(?![A-Za-z0-9])`,
      });
    }
  }
  return list;
}

/** Not as a part of a longer name; a path of one name only where a path can begin. */
function pathSource(path) {
  const single = path.lastIndexOf("/") === 0;
  return `${single ? "(?<![\\w.-])" : ""}${literally(path)}(?![\\w-]|\\.\\w)`;
}

/** The name that the CLI gives to the folder of a project's transcripts. */
function slugOf(path) {
  return path.replace(/[^a-zA-Z0-9]/g, "-");
}

function revealText(text, places, env) {
  if (!text.includes("<hawser:")) return text;
  return text.replace(/<hawser:([a-z]+)(-slug)?(?::([^>]*))?>/g, (whole, name, slug, variable) => {
    if (name === "env") return env[variable] ?? MASKED;
    const path = places[name]?.[0] ?? FALLBACKS[name]?.(places);
    if (path === undefined) return whole;
    return slug === undefined ? path : slugOf(path);
  });
}

const FALLBACKS = {
  config: ({ home }) => join(home[0] ?? homedir(), ".claude"),
  tmp: () => tmpdir(),
  api: () => "api.anthropic.com",
};

function literally(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
