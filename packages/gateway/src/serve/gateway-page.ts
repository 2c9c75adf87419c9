/** What a page needs of the gateway that it is mounted in. */
export interface InspectedGateway {
  fetch(request: Request): Promise<Response>;
  /** Whether requests need a key. Then the keys are the tokens of the page. */
  readonly needsKey: boolean;
  /** The SHA-256 hashes of all keys, as hexadecimal digits. With them the page's server proves that it knows a key. */
  keyHashes(): readonly string[];
  /** Names in the header `Host` beside loopback; undefined if none is checked. */
  readonly hosts: readonly string[] | undefined;
}

/** A page for the people who run the server. */
export interface GatewayPage {
  /** Answers requests whose path begins with `/inspect/`. */
  fetch(request: Request): Promise<Response>;
  /** The token of the page; undefined if keys of tenants are the tokens. */
  readonly token: string | undefined;
  /** Ends the streams of open pages. */
  close(): void;
}

/** Whether a request is for the page, and not for the gateway. */
export function isForPage({ url }: Request): boolean {
  const { pathname } = new URL(url);
  return pathname === "/inspect" || pathname.startsWith("/inspect/");
}
