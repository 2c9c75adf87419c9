import { randomBytes, timingSafeEqual } from "node:crypto";
import { HawserError } from "hawser";
import { hashOf } from "./server-proof.js";

/** What the holder of a token may do: everything, or only look. */
export type Rights = "control" | "read";

/** The holder of a token. */
export interface Caller {
  /** Whose streams are counted together. */
  readonly name: string;
  readonly rights: Rights;
}

/** Finds the caller of a request. */
export interface Authenticator {
  /** Undefined if the request has no valid token. A response says why that cannot be told. */
  callerOf(request: Request): Promise<Caller | Response | undefined>;
  /** The SHA-256 hashes of all tokens, as hexadecimal digits. */
  hashes(): readonly string[];
  /** A token with these rights for one tab of the page, which is worth nothing after the end of this program. */
  tabToken?(rights: Rights): string;
}

/** The two tokens of an inspector, and those that a tab keeps in their place. */
export class Tokens implements Authenticator {
  readonly control: string;
  readonly read: string;
  readonly #tabs: Readonly<Record<Rights, string>> = { control: newToken(), read: newToken() };
  readonly #known: readonly { readonly hash: string; readonly rights: Rights }[];

  constructor(control: string = newToken(), read: string = newToken()) {
    for (const [path, token] of Object.entries({ token: control, readToken: read })) {
      if (!TOKEN.test(token)) throw badToken(path);
    }
    if (control === read) {
      throw new HawserError("invalid_options", "token and readToken are the same.", {
        hint: "Leave one of them out. The inspector then makes a random one.",
      });
    }
    this.control = control;
    this.read = read;
    this.#known = [
      { hash: hashOf(control), rights: "control" },
      { hash: hashOf(read), rights: "read" },
      { hash: hashOf(this.#tabs.control), rights: "control" },
      { hash: hashOf(this.#tabs.read), rights: "read" },
    ];
  }

  /** The tokens that allow everything, which must not be shown. */
  get secrets(): readonly string[] {
    return [this.control, this.#tabs.control];
  }

  async callerOf({ headers }: Request): Promise<Caller | undefined> {
    const given = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
    if (given === undefined) return undefined;
    const hash = hashOf(given);
    const found = this.#known.find((each) => isSame(each.hash, hash));
    return found && { name: found.rights, rights: found.rights };
  }

  hashes(): readonly string[] {
    return this.#known.map(({ hash }) => hash);
  }

  tabToken(rights: Rights): string {
    return this.#tabs[rights];
  }
}

/** A random token of 192 bits. */
export function newToken(): string {
  return randomBytes(24).toString("base64url");
}

/** What a URL fragment and a header can hold as it is, and what cannot be guessed. */
const TOKEN = /^[\w.~-]{16,256}$/;

function badToken(path: string): HawserError {
  return new HawserError(
    "invalid_options",
    `${path} must have 16 to 256 letters, digits, or characters of \`-_.~\`.`,
    {
      hint: "Leave it out. The inspector then makes a random one.",
      issues: [{ path, message: "is not usable" }],
    },
  );
}

/** Whether two hashes are equal, in constant time. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
