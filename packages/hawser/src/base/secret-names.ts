/**
 * Whether the value of a variable, header, parameter or flag of this name is probably a secret. A
 * value decides only for names such as HOST_PWD, which may stand for a password or for a working
 * directory.
 */
export function looksSecret(name: string, value = ""): boolean {
  let secret = verdicts.get(name);
  if (secret === undefined) {
    secret = SECRET_NAME.test(name);
    if (verdicts.size >= MOST_VERDICTS) verdicts.clear();
    verdicts.set(name, secret);
  }
  return secret && !(PWD_NAME.test(name) && PATH_OF_FOLDERS.test(value));
}

/** Whether a variable holds a list of headers, as ANTHROPIC_CUSTOM_HEADERS does. */
export function holdsHeaders(name: string): boolean {
  return HEADER_LIST.test(name);
}

/**
 * The secrets in a list of headers: lines of `Name: value`, or `name=value` separated by commas
 * (the percent-encoded form of OpenTelemetry). Any header but the well-known harmless ones may hold
 * a secret.
 */
export function secretsInHeaders(list: string): string[] {
  return list.split(/[\r\n,]+/).flatMap((line) => {
    const [, name = "", value = ""] = /^\s*([\w.-]+)\s*[:=]\s*(.*?)\s*$/.exec(line) ?? [];
    return value === "" || isHarmlessHeader(name) ? [] : secretsInHeader(value);
  });
}

export function isHarmlessHeader(name: string): boolean {
  return HARMLESS_HEADERS.has(name.toLowerCase());
}

/**
 * The secrets among the arguments of a program, recognised by their names: `--token=x`, `--token
 * x`, `NAME=x`, `Authorization: x`, passwords and parameters of addresses.
 */
export function secretsInArguments(args: readonly string[]): string[] {
  return args.flatMap((argument, at) => {
    const [, name = "", sign = "", value = ""] =
      /^(?:-{1,2}|\/)?([\w.-]+)(=|:\s*(?!\/\/))(.*)$/s.exec(argument) ?? [];
    const before = /^-{1,2}([\w.-]+)$/.exec(args[at - 1] ?? "")?.[1] ?? "";
    return [
      ...(sign !== "" && looksSecret(name, value) ? secretsInHeader(value) : []),
      ...(looksSecret(before, argument) && !argument.startsWith("-")
        ? secretsInHeader(argument)
        : []),
      ...secretsInUrl(argument),
      ...(sign === "=" ? secretsInUrl(value) : []),
    ];
  });
}

/** The password of a URL, and its parameters with secret names. */
export function secretsInUrl(text: string): string[] {
  if (!text.includes("://") || !URL.canParse(text)) return [];
  const { password, searchParams } = new URL(text);
  const named = [...searchParams]
    .filter(([name, value]) => looksSecret(name, value))
    .map(([, value]) => value);
  return [password, ...named].filter((value) => value !== "");
}

/** The value without a scheme such as `Bearer`, also percent-decoded. */
function secretsInHeader(value: string): string[] {
  const token = value.replace(/^(?:bearer|basic|token)\s+/i, "");
  return [value, token, ...[value, token].map(decoded)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const verdicts = new Map<string, boolean>();
const MOST_VERDICTS = 4096;

/** PWD, OLDPWD, PATH, PASSTHROUGH and COMPASS are not secret, although they look similar. */
const SECRET_NAME =
  /(?:api|access|private|secret|signing|encryption|master|_|^)-?_?keys?$|token(?!s)|secret|passw|passphrase|(?:^|[_-])pass$|^sshpass$|(?<!^old)[_-]pwd$|(?:^|[_-])pw$|credential|authorization|bearer|(?:^|[_-])auth(?:$|[_-])|(?:^|[_-])jwt(?:$|[_-])|(?:^|[_-])pat$|(?:^|[_-])headers$|cookie|webhook|(?:^|_)dsn$|database_url|connection_string/i;

const PWD_NAME = /[_-]pwd$/i;
/** At least two folders, because a random password may begin with a slash. */
const PATH_OF_FOLDERS = /^(?:[a-z]:)?(?:[\\/][\w.@ -]+){2,}[\\/]?$/i;

const HEADER_LIST = /(?:^|[_-])headers$/i;

const HARMLESS_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-type",
  "host",
  "origin",
  "referer",
  "user-agent",
]);
