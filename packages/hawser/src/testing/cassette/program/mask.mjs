// Masks values that must not be in a cassette. The names and patterns of secrets are copied from
// src/base, because this program runs without the library. A test compares the two copies.
import { existsSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mapStrings } from "./json.mjs";

const MASKED = "***";
const SHORTEST_SECRET = 6;

const SECRET_NAME =
  /(?:api|access|private|secret|signing|encryption|master|_|^)-?_?keys?$|token(?!s)|secret|passw|passphrase|(?:^|[_-])pass$|^sshpass$|(?<!^old)[_-]pwd$|(?:^|[_-])pw$|credential|authorization|bearer|(?:^|[_-])auth(?:$|[_-])|(?:^|[_-])jwt(?:$|[_-])|(?:^|[_-])pat$|(?:^|[_-])headers$|cookie|webhook|(?:^|_)dsn$|database_url|connection_string/i;

/** Bounded, because a regular expression fails on a match of some megabytes. */
const SHAPES = [
  /(\b)sk-[A-Za-z0-9_-]{8,65536}/g,
  /(\b)gh[a-z]_[A-Za-z0-9]{16,65536}/g,
  /(\b)github_pat_[A-Za-z0-9_]{16,65536}/g,
  /(\b)xox[a-z]-[A-Za-z0-9-]{10,65536}/g,
  /(\b)AKIA[A-Z0-9]{16}\b/g,
  /(\b(?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{6,65536}/gi,
  /(\b(?:authorization|proxy-authorization|x-api-key|api-key|cookie)\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|basic)\s+)?)(?!\*\*\*|(?:bearer|basic)\s)[^\s"'\\,;}]{4,65536}/gi,
  // The search starts at the colon, because from the first letter a long text would take seconds.
  /(:(?<=\b[a-z][a-z0-9+.-]{0,20}:)\/\/[^\s:/@]{0,256}:)[^\s@/]{1,256}(?=@)/gi,
];

/** Objects whose keys are names of variables or headers. The name decides whether the value is secret. */
const NAMED_VALUES = ["env", "headers"];

/** Fields about the account in the answer to `initialize`. */
const PERSONAL = ["email", "organization", "organizationUuid", "accountUuid"];

/** Creates the mask for one process from its environment and its working folder. */
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

/** Checks each run of token characters once, because a search from every `eyJ` would take seconds. */
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

/** A value may itself be JSON; its content is masked like any other. */
function hideArgument(text, hide, hideText) {
  const [, flag, value] = /^(--[\w-]+=)?(\{.*\})$/s.exec(text) ?? [];
  try {
    if (value !== undefined) return (flag ?? "") + JSON.stringify(hide(JSON.parse(value)));
  } catch {
    // The value is not JSON.
  }
  return hideText(text);
}

function secretsOf(env) {
  const secrets = [];
  const add = (text, becomes) => {
    if (text.length >= SHORTEST_SECRET) secrets.push({ text, becomes, source: literally(text) });
  };
  // These come first, so that a variable with the same value is shown by its name.
  for (const [name, value] of Object.entries(env)) {
    if (HEADER_LIST.test(name)) for (const each of headersIn(value)) add(each, MASKED);
  }
  for (const [name, value] of Object.entries(env)) {
    if (!SECRET_NAME.test(name)) continue;
    // On stderr, a secret of several lines arrives line by line.
    for (const line of value.split(/\r?\n/)) for (const form of formsOf(line)) add(form, MASKED);
    for (const form of formsOf(value)) add(form, MASKED);
    add(value, `<hawser:env:${name}>`);
  }
  return secrets;
}

/** Parses `Name: value` lines, or `name=value` pairs with commas between them. */
function headersIn(list) {
  return list.split(/[\r\n,]+/).flatMap((line) => {
    const value = /^\s*[\w.-]+\s*[:=]\s*(.*?)\s*$/.exec(line)?.[1] ?? "";
    return [value, value.replace(/^(?:bearer|basic|token)\s+/i, "")];
  });
}

const HEADER_LIST = /(?:^|[_-])headers$/i;

/** The forms of a secret: in JSON, in JSON inside JSON, in a URL, in Base64. */
function formsOf(secret) {
  if (secret.length < SHORTEST_SECRET) return [];
  const escaped = JSON.stringify(secret).slice(1, -1);
  const twice = JSON.stringify(escaped).slice(1, -1);
  const coded = Buffer.from(secret).toString("base64").replace(/=+$/, "");
  return [secret, escaped, twice, encodeURIComponent(secret.toWellFormed?.() ?? ""), coded];
}

/** The paths of this machine, by the name that replaces each in a cassette. */
function placesOf(env, cwd) {
  return {
    cwd: paths(cwd, ...same(env.PWD, cwd)),
    // The default is below the home folder, and is masked with it.
    config: paths(env.CLAUDE_CONFIG_DIR),
    home: paths(env.HOME ?? env.USERPROFILE ?? homedir()),
    // The usual path is the same on every machine.
    tmp: paths(env.TMPDIR || env.TEMP),
    cli: paths(fileURLToPath(new URL("./claude.mjs", import.meta.url))),
    api: hostOf(env.ANTHROPIC_BASE_URL),
  };
}

/** The absolute paths, without a slash at the end, and the targets of those that are links. */
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
    return []; // One of the paths does not exist, so they are not the same.
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
  // The first name of a path wins. A Map keeps the last one, so the list is reversed.
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

/** Does not match inside a longer name. A path of one segment matches only where a path can begin. */
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
